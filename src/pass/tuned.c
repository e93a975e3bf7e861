/* tuned.c: a table of measured geometries, found by hash, and its text. */
#include "src/pass/tuned.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 512, MOST_ENTRIES = 20000, WORD = 16 };

typedef struct entry {
  struct entry *next, *later; /* of the bucket; in the order of learning */
  int arch, patience;
  bool shipped;
  char word[WORD]; /* of the device's name; "": of any of the architecture */
  fg_choice choice;
  char key[];
} entry;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static entry *buckets[BUCKETS], *first, **last = &first;
static int count;
static atomic_bool any, without_shipped;
static atomic_ulong generation;

static void before_fork(void) { pthread_mutex_lock(&lock); }
static void after_fork(void) { pthread_mutex_unlock(&lock); }

/* Before the planner lock's, as src/report/report.c's. */
__attribute__((constructor(201))) static void watch_fork(void) { pthread_atfork(before_fork, after_fork, after_fork); }

static entry **bucket_of(int arch, const char *key) {
  unsigned hash = 5381 + (unsigned)arch;
  for (const char *c = key; *c; c++) hash = hash * 33 + (unsigned char)*c;
  return &buckets[hash % BUCKETS];
}

/* With the lock held; the next two, too. */
static entry *find(int arch, const char *word, const char *key, bool shipped) {
  entry *e = *bucket_of(arch, key);
  while (e && (e->shipped != shipped || e->arch != arch || strcmp(e->word, word) || strcmp(e->key, key))) e = e->next;
  return e;
}

/* One of that very device goes before one of the architecture. */
static const entry *find_shipped(const fg_device_info *device, const char *key) {
  const entry *found = NULL;
  if (atomic_load(&without_shipped)) return NULL;
  for (const entry *e = *bucket_of(device->arch, key); e; e = e->next)
    if (e->shipped && e->arch == device->arch && !strcmp(e->key, key) && strstr(device->name, e->word))
      if (!found || *e->word) found = e;
  return found;
}

static void put(int arch, const char *word, const char *key, int patience, const fg_choice *c, bool shipped) {
  atomic_fetch_add(&generation, 1);
  entry *e = find(arch, word, key, shipped);
  if (e) {
    if (e->patience <= patience) e->choice = *c;
    if (e->patience < patience) e->patience = patience;
    return;
  }
  e = count < MOST_ENTRIES ? calloc(1, sizeof *e + strlen(key) + 1) : NULL;
  if (!e) return;
  *e = (entry){.next = *bucket_of(arch, key), .arch = arch, .patience = patience, .shipped = shipped, .choice = *c};
  strcpy(e->word, word);
  strcpy(e->key, key);
  *bucket_of(arch, key) = e;
  *last = e;
  last = &e->later;
  count++;
  atomic_store(&any, true);
}

/* ---- text ---- */

void fg_tuned_print(FILE *f, int arch, const char *key, int patience, const fg_choice *c) {
  char text[FG_CHOICE_TEXT];
  fg_choice_print(c, text);
  fprintf(f, "%d %s %d %s", arch, key, patience, text);
}

/* "90" or, in the table that comes with the library, "90@WORD".  Its length; 0: neither. */
static int read_device(const char *line, bool shipped, int *arch, char word[WORD]) {
  int length = 0, more = 0;
  *word = '\0';
  if (sscanf(line, "%d%n", arch, &length) != 1) return 0;
  if (line[length] != '@') return length;
  return shipped && sscanf(line + length, "@%15[^ ]%n", word, &more) == 1 ? length + more : 0;
}

static bool read_line(const char *line, bool shipped) {
  int arch, patience, length = 0;
  char word[WORD], key[FG_CHOICE_KEY];
  fg_choice c;
  const int device = read_device(line, shipped, &arch, word);
  if (!device || sscanf(line + device, " %159[^ #] %d %n", key, &patience, &length) != 2 || !length) return false;
  if (arch < 10 || patience < 0 || patience > 3 || !fg_choice_parse(&c, line + device + length)) return false;
  if (!fg_choice_trusted(&c)) return true; /* of an older program: passed over */
  pthread_mutex_lock(&lock);
  put(arch, word, key, patience, &c, shipped);
  pthread_mutex_unlock(&lock);
  return true;
}

bool fg_tuned_read(const char *line) { return read_line(line, false); }

static void read_shipped(void) {
  for (const char *const *line = fg_tuned_shipped; *line; line++) read_line(*line, true);
}

static void begin(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, read_shipped);
}

int fg_tuned_write(FILE *f) {
  int lines = 0;
  pthread_mutex_lock(&lock);
  for (const entry *e = first; e; e = e->later) {
    if (e->shipped) continue;
    fg_tuned_print(f, e->arch, e->key, e->patience, &e->choice);
    fputc('\n', f);
    lines++;
  }
  pthread_mutex_unlock(&lock);
  return lines;
}

/* ---- asking and learning ---- */

void fg_tuned_correct(fg_pass *p, const fg_device_info *device) {
  char key[FG_CHOICE_KEY];
  fg_choice list[2];
  int count = 0;
  begin();
  if (!atomic_load(&any)) return;
  fg_choice_key(p, key);
  pthread_mutex_lock(&lock);
  const entry *const own = find(device->arch, "", key, false), *const shipped = find_shipped(device, key);
  if (own) list[count++] = own->choice;
  if (shipped) list[count++] = shipped->choice;
  pthread_mutex_unlock(&lock);
  const double price = count ? fg_pass_price(p, device) : 0;
  int i = 0;
  while (i < count && !fg_choice_apply(&list[i], p, device)) i++; /* what dense rows found, rows a pitch apart may not have */
  if (i < count) p->price = price;
}

void fg_tuned_learn(const fg_pass *p, int arch, const fg_choice *c, int patience) {
  char key[FG_CHOICE_KEY];
  begin();
  fg_choice_key(p, key);
  pthread_mutex_lock(&lock);
  put(arch, "", key, patience, c, false);
  pthread_mutex_unlock(&lock);
}

bool fg_tuned_known(const fg_pass *p, int arch, int patience) {
  char key[FG_CHOICE_KEY];
  begin();
  fg_choice_key(p, key);
  pthread_mutex_lock(&lock);
  const entry *e = find(arch, "", key, false);
  const bool known = e && e->patience >= patience;
  pthread_mutex_unlock(&lock);
  return known;
}

bool fg_tuned_shipped_has(const fg_pass *p, const fg_device_info *device) {
  char key[FG_CHOICE_KEY];
  begin();
  fg_choice_key(p, key);
  pthread_mutex_lock(&lock);
  const bool has = find_shipped(device, key) != NULL;
  pthread_mutex_unlock(&lock);
  return has;
}

static bool meant(const entry *e, const char *part) { return !e->shipped && (!part || strstr(e->key, part)); }

/* What came with the library stays, and so need not have been read: FFTW's cleanup, which comes here, takes no memory. */
void fg_tuned_forget(const char *part) {
  pthread_mutex_lock(&lock);
  for (int b = 0; b < BUCKETS; b++)
    for (entry **at = &buckets[b]; *at;)
      if (meant(*at, part)) *at = (*at)->next;
      else at = &(*at)->next;
  for (entry **at = &first; *at;) {
    entry *const e = *at;
    if (!meant(e, part)) {
      at = &e->later;
      last = at;
      continue;
    }
    *at = e->later;
    free(e);
    count--;
  }
  if (!first) last = &first;
  atomic_fetch_add(&generation, 1);
  pthread_mutex_unlock(&lock);
}

void fg_tuned_ignore_shipped(bool ignored) {
  atomic_store(&without_shipped, ignored);
  atomic_fetch_add(&generation, 1);
}

unsigned long fg_tuned_generation(void) {
  begin();
  return atomic_load(&generation);
}
