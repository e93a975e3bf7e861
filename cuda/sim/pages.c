/* pages.c: pages kept in a pipe. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* vmsplice, tee */
#endif
#include "config.h"

#include "cuda/sim/pages.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum { PLACES = 16, SAMPLE = 256 }; /* a pipe holds sixteen references */

#define PAGE ((size_t)sysconf(_SC_PAGESIZE))

struct fg_sim_pages {
  int kept[2]; /* the pipe's ends */
  int places;
  struct iovec sample[PLACES];
};

static bool wanted(void) {
  const char *setting = getenv("FFTW3_GPU_SIM_PAGES");
  return setting && strcmp(setting, "1") == 0;
}

static void close_both(const int ends[2]) {
  close(ends[0]);
  close(ends[1]);
}

/* Written to first, as by a driver that pins: else it may be the page of zeros that all share. */
static struct iovec sample_at(char *page) {
  __atomic_fetch_or(page, 0, __ATOMIC_RELAXED);
  return (struct iovec){page + PAGE / 2, SAMPLE};
}

fg_sim_pages *fg_sim_pages_keep(char *memory, size_t bytes) {
  const size_t pages = bytes / PAGE;
  fg_sim_pages *k = wanted() ? malloc(sizeof *k) : NULL;
  if (!k || pipe2(k->kept, O_CLOEXEC | O_NONBLOCK)) {
    free(k);
    return NULL;
  }
  k->places = pages < PLACES ? (int)pages : PLACES;
  for (int i = 0; i < k->places; i++)
    k->sample[i] = sample_at(memory + (k->places > 1 ? (pages - 1) * (size_t)i / (size_t)(k->places - 1) : 0) * PAGE);
  if (vmsplice(k->kept[1], k->sample, (size_t)k->places, 0) != k->places * SAMPLE) {
    fg_sim_pages_drop(k);
    return NULL;
  }
  return k;
}

/* The bytes of the kept pages; false if they cannot be had. */
static bool look(const fg_sim_pages *k, char bytes[PLACES][SAMPLE]) {
  int copy[2];
  if (pipe2(copy, O_CLOEXEC | O_NONBLOCK)) return false;
  const ssize_t all = (ssize_t)k->places * SAMPLE;
  ssize_t got = 0, more = tee(k->kept[0], copy[1], (size_t)all, SPLICE_F_NONBLOCK) == all;
  while (more > 0 && got < all) got += more = read(copy[0], bytes[0] + got, (size_t)(all - got));
  close_both(copy);
  return got == all;
}

const char *fg_sim_pages_changed(const fg_sim_pages *k) {
  char bytes[PLACES][SAMPLE];
  if (!k || !look(k, bytes)) return NULL;
  for (int i = 0; i < k->places; i++)
    if (memcmp(bytes[i], k->sample[i].iov_base, SAMPLE)) return k->sample[i].iov_base;
  return NULL;
}

void fg_sim_pages_drop(fg_sim_pages *k) {
  if (!k) return;
  close_both(k->kept);
  free(k);
}
