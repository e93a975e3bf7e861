/* ranks.h: the processes of one parallel program on this machine, as its launcher tells them in their environment.
 *
 * Hints: they divide what the processes share (the device's memory, opening it, processors that are not bound) and spread them
 * over several devices.  Known are Open MPI, MPICH and Intel MPI (Hydra), MVAPICH2 and Slurm's srun. */
#ifndef FG_RANKS_H
#define FG_RANKS_H

/* count processes here, of which this is number rank, from 0; 0 of 1 if nobody says. */
typedef struct {
  int rank, count;
} fg_ranks;

fg_ranks fg_ranks_here(void);

/* Of so many devices that this process sees: the one for it, and how many processes come to share that (>= 1): those of this machine
 * over these devices, or over those that Slurm has given to all of them, if these are more. */
int fg_ranks_device(int devices);
int fg_ranks_sharing(int devices);

/* How many processes are likely to share this one's device, before the driver is asked: over those that Slurm has given, or that the
 * system lists (/proc/driver/nvidia/gpus). Found once. */
int fg_ranks_expected(void);

/* Of the processors that this process may run on: its share of them. All of them if it is bound to less than the
 * machine has. */
int fg_ranks_processors(void);

#endif
