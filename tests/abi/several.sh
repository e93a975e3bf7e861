#!/bin/sh
# several.sh: a program that opens copies of the library by itself, under one of them or none.  (Each once took the other for the
# real FFTW, and called it, and was called.)
. "$(dirname "$0")/common.sh"
compile several -ldl
other=$work/other
mkdir "$other"
cp "$lib" "$other/$(basename "$lib")" || fail "cannot copy the library"
second=$other/$(basename "$lib")
lookup=$(dirname "$lib")/libfftw3_gpu_lookup.so
for mode in off auto force; do
  for preload in '' "$lib" "$lib:$lookup" "$lib:$second"; do
    case $preload in *:"$lookup") [ -e "$lookup" ] || continue ;; esac
    for how in global local; do
      for order in "$lib $second" "$second $lib"; do
        # shellcheck disable=SC2086 # two words
        env FFTW3_GPU=$mode FFTW3_GPU_BACKEND=sim LD_PRELOAD="$preload" timeout -s KILL 60 "$work/several" $how $order ||
          fail "$mode, under '$preload', $how, $order: status $?"
      done
    done
  done
done

# Behind a copy that is preloaded, too, is the real FFTW: what verifies and falls back to the other copy would see its GPU.
compile one_plan -l"${fftw#lib}"
env FFTW3_GPU_LOG=debug LD_PRELOAD="$lib:$second" "$work/one_plan" >"$work/out" 2>&1 || fail "one_plan: status $?"
real=$(sed -n 's/.*the real FFTW is //p' "$work/out")
case $real in
  '') cat "$work/out"; fail "it does not tell what the real FFTW is" ;;
  *fftw3_gpu*) fail "a copy is taken for the real FFTW: $real" ;;
esac
echo "each by itself"
