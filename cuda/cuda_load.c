/* cuda_load.c: finds libcuda, fills the table of its functions and translates its errors. */
#include "config.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/backend.h"
#include "cuda/cuda_driver.h"
#include "src/report/log.h"

fg_driver fg_cu;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic_bool started; /* by this process */
static atomic_bool usable;  /* it has, and there is a device */
static atomic_bool forked;  /* this is a child of a process that had started it, or was about to */
static int devices;        /* or a negative code, with: */
static char failure[256];
static int version;

/* ---- errors ---- */

/* Results that end the context: every later call would fail with them too. */
static bool lost(CUresult result) {
  switch ((int)result) {
  case CUDA_ERROR_DEINITIALIZED:
  case CUDA_ERROR_INVALID_CONTEXT:
  case CUDA_ERROR_ECC_UNCORRECTABLE:
  case CUDA_ERROR_NVLINK_UNCORRECTABLE:
  case CUDA_ERROR_ILLEGAL_ADDRESS:
  case CUDA_ERROR_LAUNCH_TIMEOUT:
  case CUDA_ERROR_CONTEXT_IS_DESTROYED:
  case CUDA_ERROR_ASSERT:
  case CUDA_ERROR_HARDWARE_STACK_ERROR:
  case CUDA_ERROR_ILLEGAL_INSTRUCTION:
  case CUDA_ERROR_MISALIGNED_ADDRESS:
  case CUDA_ERROR_INVALID_ADDRESS_SPACE:
  case CUDA_ERROR_INVALID_PC:
  case CUDA_ERROR_LAUNCH_FAILED:
  case 226: /* CUDA_ERROR_CONTAINED: not in every cuda.h that we build with */
  case 721: /* CUDA_ERROR_TENSOR_MEMORY_LEAK: likewise */
  case 805: /* CUDA_ERROR_MPS_CONNECTION_FAILED */
  case 806: /* CUDA_ERROR_MPS_RPC_FAILURE */
  case 810: /* CUDA_ERROR_MPS_CLIENT_TERMINATED */
  case 911: /* CUDA_ERROR_EXTERNAL_DEVICE */
  case CUDA_ERROR_UNKNOWN:
    return true;
  default:
    return false;
  }
}

static bool no_device(CUresult result) {
  switch ((int)result) {
  case CUDA_ERROR_NOT_INITIALIZED:
  case CUDA_ERROR_STUB_LIBRARY:
  case CUDA_ERROR_DEVICE_UNAVAILABLE:
  case CUDA_ERROR_NO_DEVICE:
  case CUDA_ERROR_INVALID_DEVICE:
  case CUDA_ERROR_DEVICE_NOT_LICENSED:
  case CUDA_ERROR_SYSTEM_NOT_READY:
  case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
  case CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE:
  case 807: /* CUDA_ERROR_MPS_SERVER_NOT_READY */
  case 808: /* CUDA_ERROR_MPS_MAX_CLIENTS_REACHED */
  case 809: /* CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED */
    return true;
  default:
    return false;
  }
}

static bool bad_kernel(CUresult result) {
  switch ((int)result) {
  case CUDA_ERROR_INVALID_IMAGE:
  case CUDA_ERROR_NO_BINARY_FOR_GPU:
  case CUDA_ERROR_INVALID_PTX:
  case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
  case CUDA_ERROR_JIT_COMPILER_NOT_FOUND:
  case CUDA_ERROR_JIT_COMPILATION_DISABLED:
  case CUDA_ERROR_INVALID_SOURCE:
  case CUDA_ERROR_SHARED_OBJECT_INIT_FAILED:
  case CUDA_ERROR_NOT_FOUND:
    return true;
  default:
    return false;
  }
}

static int code_of(CUresult result) {
  if (result == CUDA_ERROR_OUT_OF_MEMORY) return FG_ENOMEM;
  if (lost(result)) return FG_ELOST;
  if (no_device(result)) return FG_ENODEVICE;
  if (bad_kernel(result)) return FG_ECOMPILE;
  return FG_ELAUNCH;
}

int fg_driver_check(CUresult result, const char *call) {
  const char *name = NULL, *meaning = NULL;
  if (result == CUDA_SUCCESS) return 0;
  fg_cu.cuGetErrorName(result, &name);
  fg_cu.cuGetErrorString(result, &meaning);
  return fg_backend_fail(code_of(result), "%s: %s (%s)", call, name ? name : "unknown CUDA error",
                         meaning ? meaning : "no description");
}

/* ---- a driver that the program has loaded ---- */

typedef struct {
  unsigned long long loads; /* of objects, ever */
  char *path;               /* of the driver, if it is there */
} search;

static _Atomic unsigned long long seen; /* loads after which all objects have been looked at, and what was found is known */

/* Called for each loaded object. */
static int look(struct dl_phdr_info *object, size_t size, void *context) {
  search *s = context;
  (void)size;
  if (s->loads == 0) {
    s->loads = object->dlpi_adds;
    if (atomic_load(&seen) == s->loads) return 1; /* nothing new */
  }
  const char *const slash = object->dlpi_name ? strrchr(object->dlpi_name, '/') : NULL;
  if (strncmp(slash ? slash + 1 : object->dlpi_name ? object->dlpi_name : "", "libcuda.so", 10)) return 0;
  s->path = strdup(object->dlpi_name);
  return 1;
}

typedef CUresult CUDAAPI pointer_function(unsigned, CUpointer_attribute *, void **, CUdeviceptr);
static _Atomic(pointer_function *) ask_of_program;
static atomic_bool ours;     /* we are about to load it, or have: what is found from then on tells nothing of the program */
static atomic_bool answered; /* so the program has initialised it */
static atomic_bool mute;     /* in the child of such a process */

static void fall_silent(void) { atomic_store(&mute, atomic_load(&answered)); }

static void found(void *library) {
  pthread_atfork(NULL, NULL, fall_silent);
  atomic_store(&ask_of_program, (pointer_function *)dlsym(library, "cuPointerGetAttributes"));
}

bool fg_driver_present(void) {
  if (atomic_load(&forked) || atomic_load(&mute)) return false;
  if (atomic_load(&usable) || atomic_load(&ask_of_program)) return true;
  if (atomic_load(&ours)) return false;
  search s = {0, NULL};
  dl_iterate_phdr(look, &s);
  /* By the path that the loader knows it by, so that no file is looked for. */
  void *library = s.path ? dlopen(s.path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
  free(s.path);
  if (library && !atomic_load(&ours)) found(library);
  atomic_store(&seen, s.loads);
  return atomic_load(&ask_of_program) != NULL;
}

/* The loader looks for the file as it would to load it (20 to 140 µs), and tells by an error that there is none. */
static atomic_bool not_there;
static void look_for_file(void) {
  dlerror();
  void *library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (library) dlclose(library);
  else atomic_store(&not_there, dlerror() != NULL);
}

const char *fg_driver_missing(void) {
  static pthread_once_t looked = PTHREAD_ONCE_INIT;
  pthread_once(&looked, look_for_file);
  const bool missing = atomic_load(&not_there) && !fg_driver_present();
  return missing ? "no GPU: the CUDA driver (libcuda.so.1) was not found" : NULL;
}

bool fg_driver_of_program(void) { return atomic_load(&ask_of_program) != NULL; }

CUresult fg_driver_pointer(unsigned count, CUpointer_attribute *ask, void **answers, CUdeviceptr p) {
  if (!fg_driver_present()) return CUDA_ERROR_NOT_INITIALIZED;
  if (atomic_load(&usable)) return fg_cu.cuPointerGetAttributes(count, ask, answers, p);
  const CUresult result = atomic_load(&ask_of_program)(count, ask, answers, p);
  if (result == CUDA_SUCCESS) atomic_store(&answered, true);
  return result;
}

/* ---- starting ---- */

static const struct {
  const char *name;
  size_t member;
  bool newer;
} functions[] = {
#define ROW(name, parameters) {#name, offsetof(fg_driver, name), false},
#define NEWER(name, parameters) {#name, offsetof(fg_driver, name), true},
    FG_DRIVER_FUNCTIONS(ROW) FG_DRIVER_NEWER_FUNCTIONS(NEWER)
#undef ROW
#undef NEWER
};

static int resolve(void *library) {
  for (size_t i = 0; i < sizeof functions / sizeof *functions; ++i) {
    void *function = dlsym(library, functions[i].name);
    if (!function && !functions[i].newer)
      return fg_backend_fail(FG_ENODEVICE, "the CUDA driver is too old: it lacks %s", functions[i].name);
    *(void **)((char *)&fg_cu + functions[i].member) = function;
  }
  return 0;
}

static int load(void) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    return fg_backend_fail(FG_ENODEVICE, "no CUDA driver: %s", reason ? reason : "libcuda.so.1 was not found");
  }
  const int code = resolve(library);
  if (code) atomic_store(&ours, false); /* too old for us, but not for a program that has arrays on its device */
  return code;
}

static int start(void) {
  fg_driver_present(); /* while it can only be the program's */
  atomic_store(&ours, true);
  int count = 0, code = load();
  if (!code) code = fg_driver_check(fg_cu.cuInit(0), "cuInit");
  if (!code) code = fg_driver_check(fg_cu.cuDriverGetVersion(&version), "cuDriverGetVersion");
  if (!code) code = fg_driver_check(fg_cu.cuDeviceGetCount(&count), "cuDeviceGetCount");
  if (!code && count == 0) code = fg_backend_fail(FG_ENODEVICE, "the CUDA driver shows no device");
  return code ? code : count;
}

static void note_fork(void) { atomic_store(&forked, true); }

static void start_once(void) {
  pthread_atfork(NULL, NULL, note_fork);
  atomic_store(&started, true);
  devices = start();
  if (devices < 0) {
    devices = FG_ENODEVICE; /* whatever failed, nothing of CUDA can be used */
    snprintf(failure, sizeof failure, "%s", fg_backend_message());
    fg_log(FG_LOG_INFO, "cuda: %s", failure);
  } else {
    atomic_store(&usable, true);
    fg_log(FG_LOG_INFO, "cuda: driver for CUDA %d.%d, %d device%s", version / 1000, version % 1000 / 10, devices,
           devices == 1 ? "" : "s");
  }
}

static int after_fork(void) {
  return fg_backend_fail(FG_ENODEVICE, "this process was forked after its parent had started CUDA");
}

int fg_driver_start(void) {
  if (atomic_load(&forked)) return after_fork();
  pthread_once(&once, start_once);
  return devices < 0 ? fg_backend_fail(devices, "%s", failure) : devices;
}

int fg_driver_usable(void) { return atomic_load(&started) && !atomic_load(&forked) ? 0 : after_fork(); }

int fg_driver_version(void) { return version; }
