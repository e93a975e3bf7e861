/* fault.h: failures on demand (their text form: sim.h). */
#ifndef FG_SIM_FAULT_H
#define FG_SIM_FAULT_H

typedef enum {
  FG_FAULT_ALLOC,
  FG_FAULT_PINNED,
  FG_FAULT_STREAM,
  FG_FAULT_COPY,
  FG_FAULT_LAUNCH,
  FG_FAULT_WAIT,
  FG_FAULT_COMPILE,
  FG_FAULT_EVENT,
  FG_FAULT_ORDER,
  FG_FAULT_CHAIN,
  FG_FAULT_ANY, /* not of a call of its own */
  FG_FAULT_LOST,
  FG_FAULT_KINDS
} fg_fault;

/* Count one call of this kind: 0, or the code it has to fail with (the message is set). */
int fg_fault_due(fg_fault kind);

/* Read FFTW3_GPU_SIM_FAIL, once, unless faults were set before: 0, or FG_ENODEVICE when it is unreadable. */
int fg_fault_environment(void);

#endif
