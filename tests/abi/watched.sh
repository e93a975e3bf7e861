#!/bin/sh
# watched.sh: FFTW3_GPU_PIN=register over programs that know nothing of it. What is pinned in place is unpinned before
# its memory goes; sim sees to it that no pinned address ever has another page than the one that was pinned.
. "$(dirname "$0")/common.sh"
unset FFTW3_GPU_PIN FFTW3_GPU_SIM_PAGES FFTW3_GPU_SIM_ABORT
watch=$(dirname "$lib")/libfftw3_gpu_watch.so
[ -e "$watch" ] || fail "no $watch"
compile watched -lfftw3f -ldl -lpthread

# Ends in $work/log: what the program says, and what the library says of pinning.
over() {
  : >"$work/log"
  (
    FFTW3_GPU=force FFTW3_GPU_BACKEND=sim FFTW3_GPU_PIN=register FFTW3_GPU_LOG=debug FFTW3_GPU_LOG_FILE=$work/log
    export FFTW3_GPU FFTW3_GPU_BACKEND FFTW3_GPU_PIN FFTW3_GPU_LOG FFTW3_GPU_LOG_FILE
    LD_PRELOAD=$preload timeout 300 "$work/watched" "$1" >>"$work/log" 2>"$work/err"
  ) || { cat "$work/log" "$work/err"; fail "$1: status $?"; }
}

# The same, without the plan's own scratch memory and what else is logged, as a list of words.
story() {
  over "$1"
  grep -v -e ': info: ' -e 'kernel' "$work/log" | awk '!/^fftw3-gpu/ { begun = 1 } begun' |
    sed -e 's/fftw3-gpu: debug: \([unpied]*\): \([0-9]*\) bytes/[\1]/' -e 's/fftw3-gpu: warn: .*/[warning]/' |
    tr '\n' ' '
}

expect() {
  found=$(story "$1")
  [ "$found" = "$2 " ] || fail "$1: $found"
  [ ! -s "$work/err" ] || fail "$1: $(cat "$work/err")"
  echo "$1: $2"
}

# A dlsym of somebody else's that allocates, while it is asked for the allocator.
cat >"$work/asks.c" <<'EOF'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
void *dlsym(void *handle, const char *name) {
  void *(*next)(void *, const char *) = (void *(*)(void *, const char *))dlvsym(RTLD_NEXT, "dlsym", VERSION);
  free(strdup(name));
  return next(handle, name);
}
EOF
libc=$(ldd "$work/watched" | awk '/libc\.so\.6/ { print $3 }')
version=$(nm -D "$libc" | sed -n 's/.* dlsym@*//p' | head -1)
if [ -n "$version" ] && $CC -shared -fPIC -DVERSION="\"$version\"" -o "$work/asks.so" "$work/asks.c" -ldl; then
  LD_PRELOAD=$watch:$work/asks.so env true || fail "a dlsym that allocates: status $?"
fi

FFTW3_GPU_SIM_ABORT=1 FFTW3_GPU_SIM_PAGES=1
export FFTW3_GPU_SIM_ABORT FFTW3_GPU_SIM_PAGES
for preload in "$lib:$watch" "$watch:$lib"; do
  expect blocks "malloc [pinned] [unpinned] malloc again, larger [pinned] free [unpinned] calloc [pinned] [unpinned] \
posix_memalign [pinned] [unpinned] aligned_alloc [pinned] end [unpinned]"
done
expect moved "malloc [pinned] realloc, larger [unpinned] execute [pinned] realloc, smaller [unpinned] execute [pinned] \
end [unpinned]"
expect mappings "mmap [pinned] mmap over it [unpinned] execute [pinned] munmap [unpinned] execute [pinned] \
end [unpinned]"
expect trimmed "mmap, trimmed [pinned] end [unpinned]"
expect remapped "mmap [pinned] another [pinned] mremap over it [unpinned] [unpinned] execute in the old place [pinned] end"
expect advised "aligned_alloc [pinned] madvise [unpinned] execute [pinned] end [unpinned]"
expect variables "static [pinned] end"
expect stack "stack end"
expect shared "mmap [pinned] munmap unseen execute [unpinned] end"
expect unseen "malloc [pinned] free unseen execute [warning] [unpinned] end"
over threads
[ "$(grep -c ' pinned: 266240' "$work/log")" -ge 5 ] || fail "threads: hardly anything was pinned"
if [ -n "${FC:-}" ]; then
  mv "$work/watched" "$work/kept"
  include=$(pkg-config --variable=includedir fftw3f)
  # shellcheck disable=SC2086
  $FC -O1 -I"$include" -o "$work/watched" "$src/common_block.f" ${FFTW3F_LDFLAGS:-} -lfftw3f ||
    fail "common_block.f does not compile"
  expect common_block "common [pinned]"
  mv "$work/kept" "$work/watched"
fi
unset FFTW3_GPU_SIM_PAGES
# (Twice the child says that it computes on the host.)
expect forked "malloc [pinned] [warning] [warning] execute end [unpinned]"

# What cannot be trusted is not done, and said once.
preload=$lib
refused() {
  over blocks
  grep -q ' pinned: 266240' "$work/log" && fail "$1: pinned all the same"
  grep -qF "FFTW3_GPU_PIN=register: $2; the default stands" "$work/err" && [ "$(wc -l <"$work/err")" -eq 1 ] ||
    fail "$1: $(cat "$work/err")"
  echo "$1: $2"
}
refused "without the watching library" "libfftw3_gpu_watch.so is not preloaded, as by 'fftw3-gpu run --pin=register'"
preload=$lib:$watch
# Allocators that come as libraries, as jemalloc and tcmalloc do: before the watching library, after it, linked.
cp "$src/watched.c" "$work/allocator.c"
# shellcheck disable=SC2086
$CC -O1 -w ${FFTW3F_CFLAGS:-} -DOWN_MALLOC=1 -DALLOCATOR -shared -fPIC -o "$work/liballocator.so" "$work/allocator.c" ||
  fail "the allocator does not compile"
for allocator in "$work/liballocator.so" ${FG_ALLOCATORS:-}; do
  preload=$allocator:$lib:$watch
  refused "$(basename "$allocator") before" "malloc or free is the program's own"
  preload=$lib:$watch:$allocator
  refused "$(basename "$allocator") after" "malloc is not the C library's"
done
mv "$work/watched" "$work/plain"
preload=$lib:$watch
compile watched -lfftw3f -ldl -lpthread "-L$work" -lallocator "-Wl,-rpath,$work"
refused "an allocator that is linked" "malloc is not the C library's"
CC="$CC -DOWN_MALLOC" compile watched -lfftw3f -ldl -lpthread
refused "a program with its own malloc" "malloc or free is the program's own"
