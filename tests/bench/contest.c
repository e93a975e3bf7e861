/* contest.c: time the same problems in several processes that take turns, so that whatever the machine does meanwhile
 * happens to all of them.
 *
 *   contest [options] -c CONTESTANT... [PROBLEM...]
 *     -c NAME=MEMORY,THREADS,PATIENCE[,VARIABLE=VALUE...]   a process (contestant.c beside this program): own, foreign
 *                    or - (what the problem's line says, else own); FFTW threads; estimate, measure or patient; its
 *                    environment
 *     -C ...         the same: what it has wrong is told, but fails nothing (cuFFTW has no r2r, and leaves arrays as they were)
 *     -f FILE        problems, one a line, perhaps with "own" or "foreign" behind it; '#' begins a comment
 *     -s SEED        of the random input (1)
 *     -t SECONDS     of timing for each contestant and problem (0.1), in -r ROUNDS (5)
 *     -w SECONDS     of executions before it, for what only begins with them (0)
 *     -p SECONDS     limit of planning (fftwf_set_timelimit; 2)
 *     -W PROBLEM     every contestant executes it for a second before all others
 *     -x RATIO       problems that the first contestant does in less than 10 us and whose planning is soon done: all plan
 *                    and are timed three times, with arrays elsewhere; others where the second contestant takes longer
 *                    than RATIO times the better of the first and third, or a further one, a control, than the first, but
 *                    not twice as long: all are timed again, twice at most, and plan again if that is soon done. All
 *                    rounds count
 *     -d SECONDS     no further problem is begun after that
 *
 * One process works at a time, in another order each round, since what comes behind one that used the device finds it
 * awake.  A line a problem and contestant, separated by tabs:
 *   problem memory bytes_in bytes_out contestant plan_ms first_us median_us least_us most_us check
 * median, least and most are of the rounds' medians.  check: "reference" for the first contestant that has a plan, then
 * "right" or "WRONG" against it; "none": no such plan; "died".  Exit status 1 if anything of -c was wrong, or died. */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/bench/transform.h"

enum { MOST_CONTESTANTS = 16, MOST_ROUNDS = 100, LINE = 256, PATIENCE_MS = 150000 };

typedef struct {
  const char *name, *environment;
  char memory[16], patience[16];
  int threads;
  bool may_be_wrong;
  pid_t pid; /* 0: not running */
  int to, from;
  /* of the problem at hand */
  double plan_ms, first_us, median[MOST_ROUNDS], spent;
  fingerprint result;
  bool wrong;  /* of any of its plans */
  int rounds;
  enum { NONE, DIED, PLANNED } state;
} contestant;

static struct {
  contestant item[MOST_CONTESTANTS];
  int count, rounds;
  unsigned long long seed;
  double seconds, settle, plan_limit, again_above, deadline;
  const char *warm, *file;
  char worker[4096];
} contest = {.rounds = 5, .seed = 1, .seconds = 0.1, .plan_limit = 2, .deadline = 1e9};

static bool failed;

/* ---- processes --------------------------------------------------------------------------------------------------- */

static void enter_environment(const char *list) {
  char *copy = strdup(list), *rest = copy;
  for (char *item; (item = strsep(&rest, ","));) {
    char *value = strchr(item, '=');
    if (!value) continue;
    *value++ = 0;
    setenv(item, value, 1);
  }
  free(copy);
}

static bool start(contestant *c) {
  int in[2], out[2];
  if (pipe(in) || pipe(out)) return false;
  fflush(stdout);
  c->pid = fork();
  if (c->pid < 0) return false;
  if (c->pid == 0) {
    dup2(in[0], 0);
    dup2(out[1], 1);
    for (int fd = 3; fd < 256; fd++) close(fd);
    enter_environment(c->environment);
    execl(contest.worker, contest.worker, (char *)NULL);
    perror(contest.worker);
    _exit(127);
  }
  close(in[0]);
  close(out[1]);
  c->to = in[1];
  c->from = out[0];
  return true;
}

static void stop(contestant *c, bool at_once) {
  if (!c->pid) return;
  if (at_once) kill(c->pid, SIGKILL);
  close(c->to);
  close(c->from);
  waitpid(c->pid, NULL, 0);
  c->pid = 0;
}

static bool read_line(int fd, char *line) {
  for (int at = 0; at < LINE - 1; at++) {
    struct pollfd ready = {.fd = fd, .events = POLLIN};
    if (poll(&ready, 1, PATIENCE_MS) <= 0 || read(fd, line + at, 1) != 1) return false;
    if (line[at] != '\n') continue;
    line[at] = 0;
    return true;
  }
  return false;
}

/* The answer to a command; "" if the process died or says nothing for minutes. */
static const char *ask(contestant *c, const char *command) {
  static char answer[LINE];
  answer[0] = 0;
  if (!c->pid && !start(c)) return answer;
  const size_t length = strlen(command);
  if (write(c->to, command, length) == (ssize_t)length && read_line(c->from, answer)) return answer;
  stop(c, true);
  c->state = DIED;
  failed = true;
  answer[0] = 0;
  return answer;
}

/* ---- a problem --------------------------------------------------------------------------------------------------- */

static const char *memory_of(const contestant *c, const char *memory) {
  return c->memory[0] == '-' ? memory : c->memory;
}

static void plan(contestant *c, const char *problem, const char *memory) {
  char command[LINE];
  snprintf(command, sizeof command, "plan %s %s %d %s %llu %g %g\n", problem, memory_of(c, memory), c->threads,
           c->patience, contest.seed, contest.plan_limit, contest.settle);
  c->state = NONE;
  fingerprint *f = &c->result;
  if (sscanf(ask(c, command), "ok %lf %lf %lf %lf %lf %lf", &c->plan_ms, &c->first_us, &f->norm, &f->sum[0],
             &f->sum[1], &f->sum[2]) == 6)
    c->state = PLANNED;
}

/* Slow ones have fewer rounds. */
static void time_round(contestant *c) {
  char command[LINE];
  if (c->state != PLANNED || c->rounds == MOST_ROUNDS || c->spent > 1.5 * contest.seconds) return;
  snprintf(command, sizeof command, "time %g\n", contest.seconds / contest.rounds);
  const double begun = seconds_now();
  if (sscanf(ask(c, command), "us %lf", &c->median[c->rounds]) == 1) c->rounds++;
  c->spent += seconds_now() - begun;
}

/* The first that has a plan. */
static const contestant *reference(void) {
  for (int i = 0; i < contest.count; i++)
    if (contest.item[i].state == PLANNED) return &contest.item[i];
  return NULL;
}

static void plan_all(const char *problem, const char *memory) {
  for (int i = 0; i < contest.count; i++) plan(&contest.item[i], problem, memory);
  const contestant *right = reference();
  for (int i = 0; i < contest.count; i++) {
    contestant *c = &contest.item[i];
    c->wrong |= c->state == PLANNED && !fingerprints_agree(&right->result, &c->result);
  }
}

static void time_all(void) {
  for (int i = 0; i < contest.count; i++) contest.item[i].spent = 0;
  for (int round = 0; round < contest.rounds; round++)
    for (int i = 0; i < contest.count; i++) {
      const int turn = round % 2 ? contest.count - i : i;
      time_round(&contest.item[(round + turn) % contest.count]);
    }
}

enum { COMPARED = 3 }; /* contestants; further ones are controls: the first once more */

static double median_found(int i) { return median_of(contest.item[i].median, contest.item[i].rounds); }

/* How many times longer that contestant takes than the first and the third, the better of them; a control, than the first. */
static double regret(int i) {
  double best = median_found(0);
  const double third = i == 1 && contest.count > 2 ? median_found(2) : 0;
  if (third > 0 && (best <= 0 || third < best)) best = third;
  return best > 0 ? median_found(i) / best : 0;
}

/* Of the second, and of controls: what is done for the one by chance is done for the others. */
static double most_regret(void) {
  double most = 0;
  for (int i = 1; i < contest.count; i++) {
    const double found = i == 1 || i >= COMPARED ? regret(i) : 0;
    if (found > most && found < 2) most = found;
  }
  return most;
}

static bool plans_are_cheap(void) {
  double milliseconds = 0;
  for (int i = 0; i < contest.count && i < COMPARED; i++)
    milliseconds += contest.item[i].plan_ms + 1e-3 * contest.item[i].first_us;
  return milliseconds < 50;
}

static void time_again(const char *problem, const char *memory) {
  if (most_regret() <= contest.again_above) return;
  if (plans_are_cheap()) plan_all(problem, memory);
  time_all();
}

static bool is_short(void) {
  const double microseconds = median_of(contest.item[0].median, contest.item[0].rounds);
  return microseconds > 0 && microseconds < 10 && plans_are_cheap();
}

/* Where arrays lie is chance for short problems, whoever it favours; others are as they seem unless one seems to lose. */
static void time_more(const char *problem, const char *memory) {
  if (contest.again_above <= 0) return;
  const bool elsewhere = is_short();
  for (int more = 0; more < 2; more++) {
    if (!elsewhere) {
      time_again(problem, memory);
      continue;
    }
    plan_all(problem, memory);
    time_all();
  }
}

static const char *verdict(const contestant *c) {
  if (c->state == DIED) return "died";
  if (c->state == NONE) return "none";
  if (c->wrong && !c->may_be_wrong) failed = true;
  return c->wrong ? "WRONG" : c == reference() ? "reference" : "right";
}

static void print_rows(const transform *t, const char *memory) {
  for (int i = 0; i < contest.count; i++) {
    contestant *c = &contest.item[i];
    const double median = median_of(c->median, c->rounds); /* sorts them */
    const char *check = verdict(c);
    printf("%s\t%s\t%zu\t%zu\t%s\t%.3f\t%.2f\t%.4f\t%.4f\t%.4f\t%s\n", t->text, memory_of(c, memory),
           transform_bytes_in(t), transform_bytes_out(t), c->name, c->state == PLANNED ? c->plan_ms : 0,
           c->state == PLANNED ? c->first_us : 0, median, c->median[0], c->median[c->rounds ? c->rounds - 1 : 0],
           check);
  }
  fflush(stdout);
}

static void run(const char *problem, const char *memory) {
  transform t;
  if (!transform_parse(&t, problem)) {
    fprintf(stderr, "contest: '%s' is no problem\n", problem);
    failed = true;
    return;
  }
  for (int i = 0; i < contest.count; i++) {
    contest.item[i].rounds = 0;
    contest.item[i].median[0] = 0;
    contest.item[i].wrong = false;
  }
  plan_all(problem, memory);
  time_all();
  time_more(problem, memory);
  print_rows(&t, memory);
  for (int i = 0; i < contest.count; i++)
    if (contest.item[i].pid) ask(&contest.item[i], "drop\n");
}

static void warm_up(const char *problem) {
  for (int i = 0; i < contest.count; i++) {
    plan(&contest.item[i], problem, "own");
    if (contest.item[i].state != PLANNED) continue;
    ask(&contest.item[i], "time 1\n");
    ask(&contest.item[i], "drop\n");
  }
}

/* ---- what is asked for ------------------------------------------------------------------------------------------- */

static bool run_file(double begun) {
  char line[LINE], problem[64], memory[16];
  FILE *file = fopen(contest.file, "r");
  if (!file) {
    perror(contest.file);
    return false;
  }
  while (fgets(line, sizeof line, file)) {
    line[strcspn(line, "#\n")] = 0;
    strcpy(memory, "own");
    if (sscanf(line, "%63s %15s", problem, memory) < 1) continue;
    if (seconds_now() - begun < contest.deadline) run(problem, memory);
    else printf("# no time left for %s\n", problem);
  }
  fclose(file);
  return true;
}

static bool add_contestant(char *text, bool may_be_wrong) {
  static const char nothing[] = "";
  contestant *c = &contest.item[contest.count];
  char *equal = strchr(text, '=');
  int end = 0;
  if (!equal || contest.count == MOST_CONTESTANTS) return false;
  *equal = 0;
  if (sscanf(equal + 1, "%15[^,],%d,%15[^,]%n", c->memory, &c->threads, c->patience, &end) != 3) return false;
  c->name = text;
  c->may_be_wrong = may_be_wrong;
  c->environment = equal[1 + end] ? equal + 2 + end : nothing;
  contest.count++;
  return true;
}

static bool read_options(int count, char **arguments) {
  for (int option; (option = getopt(count, arguments, "c:C:f:s:t:r:w:p:W:x:d:")) != -1;) switch (option) {
      case 'c':
      case 'C':
        if (!add_contestant(optarg, option == 'C')) return false;
        break;
      case 'f': contest.file = optarg; break;
      case 's': contest.seed = strtoull(optarg, NULL, 10); break;
      case 't': contest.seconds = atof(optarg); break;
      case 'r': contest.rounds = atoi(optarg); break;
      case 'w': contest.settle = atof(optarg); break;
      case 'p': contest.plan_limit = atof(optarg); break;
      case 'W': contest.warm = optarg; break;
      case 'x': contest.again_above = atof(optarg); break;
      case 'd': contest.deadline = atof(optarg); break;
      default: return false;
    }
  return contest.count > 0 && contest.rounds > 0 && contest.rounds <= MOST_ROUNDS;
}

static void find_worker(const char *self) {
  const char *slash = strrchr(self, '/');
  snprintf(contest.worker, sizeof contest.worker, "%.*scontestant", slash ? (int)(slash - self) + 1 : 0, self);
}

int main(int count, char **arguments) {
  if (!read_options(count, arguments)) {
    fprintf(stderr, "usage: see the beginning of contest.c\n");
    return 2;
  }
  signal(SIGPIPE, SIG_IGN);
  find_worker(arguments[0]);
  const double begun = seconds_now();
  puts("#problem\tmemory\tbytes_in\tbytes_out\tcontestant\tplan_ms\tfirst_us\tmedian_us\tleast_us\tmost_us\tcheck");
  if (contest.warm) warm_up(contest.warm);
  for (int i = optind; i < count; i++) run(arguments[i], "own");
  if (contest.file && !run_file(begun)) return 2;
  for (int i = 0; i < contest.count; i++) stop(&contest.item[i], false);
  return failed;
}
