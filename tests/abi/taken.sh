#!/bin/sh
# taken.sh: a program that takes FFTW out of its library by dlsym gets all of it from us or nothing, though it is not PIE, or others
# wrap a function, in front of us or behind; and what FFTW's planner was told by its threads library stays where it is.
. "$(dirname "$0")/common.sh"
lookup=${lib%.so}_lookup.so
config=${FG_BUILD:-$top_builddir}/config.h
in_precision <"$src/taken.c" >"$work/taken.c"

# link FILE OPTION...: of taken.c
link() {
  file=$1
  shift
  # shellcheck disable=SC2086
  $CC -O1 -w ${FFTW3F_CFLAGS:-} "-DLIBRARY=\"$fftw.so.3\"" -o "$work/$file" "$work/taken.c" "$@" ${FFTW3F_LDFLAGS:-} -ldl -lm \
    2>"$work/err"
}
short=${fftw#lib}

link pie -fPIE -pie -Wl,--no-as-needed "-l$short" || fail "taken.c does not compile: $(cat "$work/err")"
kinds=pie
link nopie -fno-pie -no-pie -Wl,--no-as-needed "-l$short" && kinds="pie nopie"
link libprofiler.so -DPROFILER -shared -fPIC || fail "profiler: $(cat "$work/err")"

link "$fftw-profiler.so" -DPROFILER -DPLANS -shared -fPIC || fail "profiler: $(cat "$work/err")" # called as FFTW's files are
link libhelper.so -DHELPER -shared -fPIC -Wl,-soname,libhelper.so || fail "helper: $(cat "$work/err")"
link libhandle.so -DPROFILER -DBY_HANDLE -shared -fPIC || fail "profiler: $(cat "$work/err")"
link libhelped.so -DPROFILER -DBY_HELPER -shared -fPIC "$work/libhelper.so" "-Wl,-rpath,$work" || fail "profiler: $(cat "$work/err")"
ours=$(basename "$lib")

# right PROGRAM PRELOAD: in each mode
right() {
  for settings in FFTW3_GPU=off FFTW3_GPU=auto "FFTW3_GPU_REPORT=$work/report" FFTW3_GPU=force; do
    env "$settings" FFTW3_GPU_BACKEND=sim FFTW3_GPU_DOUBLE=double LD_PRELOAD="$2" timeout 100 "$work/$1" >"$work/out" 2>"$work/err"
    status=$?
    [ $status = 0 ] || { cat "$work/out" "$work/err"; fail "$1, $settings, $2: status $status"; }
    [ "$(cat "$work/out")" = "$ours $ours $ours: right" ] || { cat "$work/out"; fail "$1, $settings, $2"; }
  done
}

if grep -q '^#define HAVE_LOOKUP' "$config" && [ -e "$lookup" ]; then
  for kind in $kinds; do
    right "$kind" "$lib:$lookup"
    right "$kind" "$work/libprofiler.so:$lib:$lookup"
    right "$kind" "$work/$fftw-profiler.so:$lib:$lookup"
    right "$kind" "$lib:$lookup:$work/libprofiler.so"
    right "$kind" "$lib:$work/libprofiler.so:$lookup"
    right "$kind" "$lib:$lookup:$work/libprofiler.so:$work/libhandle.so"
    right "$kind" "$lib:$lookup:$work/libhelped.so"
  done
fi

if link libplugin.so -DPLUGIN -shared -fPIC -Wl,--no-as-needed "-l${short}_threads"; then
  for settings in FFTW3_GPU=off FFTW3_GPU=auto FFTW3_GPU=force; do
    env "$settings" FFTW3_GPU_BACKEND=sim FFTW3_GPU_DOUBLE=double LD_PRELOAD="$lib" timeout 100 "$work/pie" "$work/libplugin.so" ||
      fail "a plugin with the threads library, $settings: status $?"
  done
fi

# A plugin's callback is called when another plans; stock FFTW would have gone with the plugin, and the callback.
if link libloops.so -DPLUGIN -DLOOPS -shared -fPIC -Wl,--no-as-needed "-l${short}_threads" "-l$short" &&
  link libthreads.so -DPLUGIN -shared -fPIC -Wl,--no-as-needed "-l${short}_threads" "-l$short" && link host -DHOST; then
  for settings in FFTW3_GPU=off FFTW3_GPU=auto "FFTW3_GPU_REPORT=$work/report"; do
    env "$settings" FFTW3_GPU_BACKEND=sim LD_PRELOAD="$lib" timeout 100 "$work/host" "$work/libloops.so" "$work/libthreads.so" \
      "$work/libloops.so" || fail "plugins with loops of their own, $settings: status $?"
  done
fi
echo "$kinds: right"
