/* fault.c: which call of the simulated device has to fail. */
#include "config.h"

#include "cuda/sim/fault.h"

#include "cuda/backend.h"
#include "cuda/sim/sim.h"

#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const struct {
  const char *name;
  int code;
} kinds[FG_FAULT_KINDS] = {
    [FG_FAULT_ALLOC] = {"alloc", FG_ENOMEM},      [FG_FAULT_PINNED] = {"pinned", FG_ENOMEM},
    [FG_FAULT_STREAM] = {"stream", FG_ENOMEM},    [FG_FAULT_COPY] = {"copy", FG_ELAUNCH},
    [FG_FAULT_LAUNCH] = {"launch", FG_ELAUNCH},   [FG_FAULT_WAIT] = {"wait", FG_ELAUNCH},
    [FG_FAULT_COMPILE] = {"compile", FG_ECOMPILE}, [FG_FAULT_EVENT] = {"event", FG_ENOMEM},
    [FG_FAULT_ORDER] = {"order", FG_ELAUNCH},     [FG_FAULT_CHAIN] = {"chain", FG_ELAUNCH},
    [FG_FAULT_ANY] = {"any", FG_OK},
    [FG_FAULT_LOST] = {"lost", FG_ELOST},
};

typedef struct {
  unsigned long from; /* the first call that fails; 0: none */
  unsigned long to;   /* the last */
  unsigned long step; /* from each to the next, > 0 */
  unsigned long calls;
} fault_plan;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static fault_plan plans[FG_FAULT_KINDS];
static bool environment_read;
static int environment_result;

static int kind_named(const char *name, size_t length) {
  for (int k = 0; k < FG_FAULT_KINDS; k++)
    if (strlen(kinds[k].name) == length && memcmp(kinds[k].name, name, length) == 0)
      return k;
  return -1;
}

/* The number at *text, which moves behind it; 0 if there is none. */
static unsigned long read_number(const char **text) {
  char *end = (char *)*text;
  unsigned long n = **text >= '1' && **text <= '9' ? strtoul(*text, &end, 10) : 0;
  *text = end;
  return n;
}

/* What may follow the n of "kind:n": which calls beside that one. */
static bool read_more(const char **text, fault_plan *p) {
  const char sign = **text;
  p->to = p->from;
  p->step = 1;
  if (!sign || !strchr("+-/", sign))
    return true;
  (*text)++;
  if (sign == '-')
    return (p->to = read_number(text)) >= p->from;
  p->to = ULONG_MAX;
  return sign == '+' || (p->step = read_number(text)) > 0;
}

/* One "kind:n…" at *text, which moves behind it. */
static bool read_one(const char **text, fault_plan *to) {
  size_t length = strcspn(*text, ":");
  int kind = kind_named(*text, length);
  if (kind < 0)
    return false;
  *text += length + ((*text)[length] == ':');
  to[kind].from = read_number(text);
  if (to[kind].from == 0 || !read_more(text, &to[kind]))
    return false;
  if (kind == FG_FAULT_LOST)
    to[kind].to = ULONG_MAX;
  return true;
}

static bool read_all(const char *text, fault_plan *to) {
  memset(to, 0, FG_FAULT_KINDS * sizeof *to);
  while (*text) {
    if (!read_one(&text, to))
      return false;
    if (*text == ',' && text[1])
      text++;
    else if (*text)
      return false;
  }
  return true;
}

/* With the lock held. */
static int set_faults(const char *spec) {
  fault_plan read[FG_FAULT_KINDS];
  bool readable = read_all(spec ? spec : "", read);
  if (!readable)
    memset(read, 0, sizeof read);
  memcpy(plans, read, sizeof plans);
  environment_read = true;
  return readable ? 0 : -1;
}

int fg_sim_set_faults(const char *spec) {
  pthread_mutex_lock(&lock);
  int result = set_faults(spec);
  environment_result = 0;
  pthread_mutex_unlock(&lock);
  return result;
}

int fg_fault_environment(void) {
  pthread_mutex_lock(&lock);
  const char *spec = getenv("FFTW3_GPU_SIM_FAIL");
  if (!environment_read)
    environment_result = set_faults(spec);
  int result = environment_result;
  pthread_mutex_unlock(&lock);
  return result ? fg_backend_fail(FG_ENODEVICE, "sim: FFTW3_GPU_SIM_FAIL=%s is not readable", spec ? spec : "") : 0;
}

static bool count_call(fault_plan *p) {
  p->calls++;
  return p->from && p->calls >= p->from && p->calls <= p->to && (p->calls - p->from) % p->step == 0;
}

int fg_fault_due(fg_fault kind) {
  pthread_mutex_lock(&lock);
  bool due = count_call(&plans[kind]);
  due |= count_call(&plans[FG_FAULT_ANY]);
  bool lost = count_call(&plans[FG_FAULT_LOST]);
  unsigned long call = plans[kind].calls;
  pthread_mutex_unlock(&lock);
  if (lost)
    return fg_backend_lost("", "sim: device lost (injected)");
  return due ? fg_backend_fail(kinds[kind].code, "sim: %s call %lu fails (injected)", kinds[kind].name, call) : 0;
}
