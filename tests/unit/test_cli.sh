#!/bin/sh
# test_cli.sh: the program fftw3-gpu as a user meets it, from the build folder: help, errors, path, run, info, plan.
. "$(dirname "$0")/cli.sh"
top=${FG_SOURCE:-$(dirname "$0")/../..} # of the sources
man=$top/doc/fftw3-gpu.1 readme=$top/README.md

# ---- help and version
expect 0 --help; no_err
commands="run info plan tune bench accuracy replay path"
for command in $commands help; do out "  $command "; done
settings=$(sed -n 's/^  \(FFTW3_GPU[A-Z_]*\)=.*/\1/p' "$work/out")
[ "$(echo "$settings" | wc -l)" -ge 13 ] || fail "settings are missing"
for setting in $settings; do
  grep -q "^\.B[IR] $setting=" "$man" || fail "the man page has no $setting"
  grep -q "\`$setting\`" "$readme" || fail "README.md has no $setting"
done
expect 0 help; out "Usage: fftw3-gpu COMMAND"
expect 0 help help; no_err; out "Settings, as environment variables:"
for command in $commands; do
  expect 0 help $command; out "Usage: fftw3-gpu $command"; no_err
  for option in $(grep -oE '^ +(-[a-z], )?--[a-z-]+' "$work/out" | grep -oE -e '--[a-z-]+'); do
    sed -n "/^\.SS $command\$/,/^\.S[SH] /s/\\\\-/-/gp" "$man" | grep -q -e "$option" ||
      fail "the man page has no $command $option"
  done
  cp "$work/out" "$work/help"
  expect 0 $command --help; cmp -s "$work/help" "$work/out" || fail "$command --help differs from help $command"
done
expect 0 --version; out "fftw3-gpu "; no_err

# ---- what is not understood
expect 2; err "a command is missing"; no_out
expect 2 dance; err "no command 'dance'"; err "Try 'fftw3-gpu help'"; no_out
expect 2 help dance; err "no command 'dance'"
expect 2 --dance; err "--dance"
for command in $commands; do
  expect 2 $command --dance; err "fftw3-gpu $command: "; err "--dance"; err "Try 'fftw3-gpu help $command'"; no_out
done
expect 2 path here; err "unexpected argument 'here'"
expect 2 info here; err "unexpected argument 'here'"

# ---- path
expect 0 path; no_err
library=$(cat "$work/out")
[ -f "$library" ] || fail "path prints \"$library\", which is no file"
case $library in /*/libfftw3_gpu.so) ;; *) fail "path prints \"$library\"" ;; esac
(cd / && "$program" path) >"$work/elsewhere" 2>&1
case $program in /*) cmp -s "$work/out" "$work/elsewhere" || fail "path depends on the current folder" ;; esac

# ---- run
lookup=${library%.so}_lookup.so
front=$library
[ ! -f "$lookup" ] || front=$library:$lookup
expect 0 run -- env; no_err; out "LD_PRELOAD=$front"
grep '^FFTW3_GPU' "$work/out" | grep -v '^FFTW3_GPU_CACHE=' >"$work/set" && fail "run sets $(cat "$work/set")"
expect 0 run --force --backend=sim --report="$work/report" --trace="$work/trace" --verify=1e-4 --log=warn -- env
out "FFTW3_GPU=force"; out "FFTW3_GPU_BACKEND=sim"; out "FFTW3_GPU_REPORT=$work/report"; out "FFTW3_GPU_VERIFY=1e-4"
out "FFTW3_GPU_LOG=warn"; out "FFTW3_GPU_TRACE=$work/trace"
expect 0 run --report env; out "FFTW3_GPU_REPORT=-"
expect 0 run --force --off env; out "FFTW3_GPU=off"
LD_PRELOAD=/nowhere/other.so expect 0 run env; out "LD_PRELOAD=$front:/nowhere/other.so"
watch=${library%.so}_watch.so
expect 0 run --double=single -- env; out "FFTW3_GPU_DOUBLE=single"; no_err
expect 2 run --double=half true; err "it takes host|single|double"
expect 0 run --pin=register -- env; out "LD_PRELOAD=$front:$watch"; out "FFTW3_GPU_PIN=register"; no_err
FFTW3_GPU_PIN=register expect 0 run env; out "LD_PRELOAD=$front:$watch"
expect 0 run --pin=register --pin=own env; grep -qF "$watch" "$work/out" && fail "watches for nothing"
expect 7 run -- sh -c 'exit 7'
expect 0 run printf '<%s>' 'a b' --off; out "<a b><--off>" # what follows the program is its own
expect 2 run; err "a program is missing"
expect 2 run --trace -- env; err "--trace takes FILE, and '--' comes instead"; no_out
expect 2 run --trace --report -- env; err "--trace takes FILE, and '--report' comes instead"
expect 2 run --log -- env; err "--log takes error|warn|info|debug, and '--' comes instead"
expect 2 run --trace env; err "a program is missing behind 'env'"
echo precious >"$work/program"
expect 2 run --trace "$work/program" env; err "--trace=$work/program: a file that is not a trace is not written over"
expect 0 run --trace="$work/fresh" env; out "FFTW3_GPU_TRACE=$work/fresh"
expect 2 run --backend=hip -- env; err "--backend=hip: it takes cuda|sim"; no_out
expect 2 run --verify=-1 -- env; err "TOLERANCE, a number above 0"; no_out
expect 2 run --log= -- env; err "--log="; no_out
expect 127 run -- "$work/no-such-program"; err "$work/no-such-program: No such file"
: >"$work/not-executable"
expect 126 run -- "$work/not-executable"; err "Permission denied"

# A file's name is of the folder where run was started, wherever the program goes.
here=$PWD
case $program in /*)
  cd "$work" || exit 99
  expect 0 run --report=there --trace=too -- sh -c 'cd / && env'
  out "FFTW3_GPU_REPORT=$(pwd -P)/there"; out "FFTW3_GPU_TRACE=$(pwd -P)/too"
  cd "$here" || exit 99
esac

expect 0 run --report -- env; err "#problem" # a heading: it was loaded
expect 0 run --report=- -- env; err "#problem"
echo 'int main(void) { return 3; }' >"$work/still.c"
if ${CC:-cc} -static -o "$work/still" "$work/still.c" 2>/dev/null; then
  expect 3 run -- "$work/still"; err "$work/still is linked statically: the library has no effect on it"
  PATH=$work:$PATH expect 3 run still; err "still is linked statically"
  mkfifo "$work/fifo" && chmod +x "$work/fifo"
  expect 126 run -- "$work/fifo"
  mkdir -p "$work/before/still"
  PATH=$work/before:$work:$PATH expect 3 run still; err "still is linked statically"
  (cd "$work" && PATH=:$PATH expect 3 run still; err "still is linked statically") || exit 1
fi

# Set-uid: where the file system honours that, nothing is preloaded.
if [ "$(id -u)" = 0 ] && cp "$(command -v env)" "$work/secure" && chown 65534 "$work/secure" && chmod 4755 "$work/secure"; then
  expect 0 run --report -- "$work/secure"
  if grep -qF "#problem" "$work/err"; then ! grep -qF "other rights" "$work/err" || fail "a set-uid program was preloaded into"
  else err "$work/secure runs with other rights than yours"; fi
fi

# ---- tune --geometry
expect 2 tune --seconds=3; err "go with --geometry"
expect 2 tune --geometry --seconds=soon; err "a number of seconds is needed"
expect 2 tune --geometry --dry-run; err "does not go with it"
expect 2 tune --geometry nonsense
FFTW3_GPU_BACKEND=sim expect 0 tune --geometry --seconds=0.001 oc64; out "# on sim"
FFTW3_GPU_BACKEND=sim expect 0 tune --geometry 'oc64*0' oc8:1x8:1; out "# ocf64*0: not measured: an empty batch"
out "# ocf8:1x8: not measured: overlapping input"
expect 2 tune --geometry "oc$(printf '%0300d' 0)"; err '0...": '; err "at character"
expect 2 tune --most=4; err "go with --geometry"
expect 2 tune --geometry --most=0; err "a number from 1"
expect 2 tune --geometry --precision=half; err "no precision"
expect 2 tune --geometry --try="5.20 2 32 1 0 more"; err "is no geometry"
FFTW3_GPU_BACKEND=sim expect 0 tune --geometry --all --precision=double --try="5.20 2 32 1 0" oc100*3; out "ocf100*3: 1 geometries of 1 passes"
out "90 tile:100/100:d:"; out " 2 5.20 2 32 1 0"
FFTW3_GPU_BACKEND=sim expect 1 tune --geometry --try="61.61 1 32 1 0" oc64; err "no pass of these problems"

# ---- info
FFTW3_GPU_CACHE=$work/none expect 0 info; no_err # nobody has tuned there
out "$library"; out "version"; out "FFTW single "; out "FFTW double "; out "fast in double precision"; out "cuda "; out "sim "; out "kernels"
out "machine "; out "calibration    defaults"; out "thread_share"
for setting in $settings; do grep -q "^$setting " "$work/out" || fail "info does not show $setting"; done
FFTW3_GPU=force expect 0 info; grep -q '^FFTW3_GPU  *force ' "$work/out" || fail "info does not show the setting"
grep -q '^FFTW3_GPU_REPORT  *default ' "$work/out" || fail "info does not tell what is not set"
mkdir "$work/cache"
FFTW3_GPU_CACHE=$work/cache expect 0 info; grep -qx "kernels  *$work/cache" "$work/out" || fail "no cache folder"
FFTW3_GPU_CACHE=/dev/null/cache expect 0 info; out "not kept: /dev/null/cache: Not a directory"
FFTW3_GPU=maybe expect 0 info; err "FFTW3_GPU=maybe: it takes auto|steady|off|force"
FFTW3_GPU_BACKEND=sim FFTW3_GPU_DEVICE=7 expect 0 info; err "FFTW3_GPU_DEVICE=7: there is no such GPU, only number 0"
[ "$(wc -l <"$work/err")" = 1 ] || fail "told more than once"
FFTW3_GPU_BACKEND=sim FFTW3_GPU_DEVICE=0 expect 0 info; no_err

# ---- tune
FFTW3_GPU_CACHE=/dev/null/cache expect 1 tune; err "nothing could be kept: Not a directory"; no_out
FFTW3_GPU_CACHE='' HOME='' XDG_CACHE_HOME='' expect 1 tune; err "nothing could be kept: no folder"; no_out
expect 2 tune now; err "unexpected argument 'now'"
FFTW3_GPU_CACHE=$work/cache expect 0 tune; out "rate_two"; out "kept in $work/cache/calibration-"
FFTW3_GPU_CACHE=$work/cache expect 0 info; out "calibration    $work/cache/calibration-"
FFTW3_GPU_CACHE=$work/other expect 0 tune --dry-run; out "rate_two"
[ ! -e "$work/other" ] || fail "a dry run made a folder"

# ---- plan
expect 2 plan; err "a problem is missing"
expect 2 plan --precision=half oc64; err "half"; no_out
expect 2 plan oc64y; err "character 5"; no_out
expect 0 plan oc64; out "ocf64"; out "pass"; no_err
out "for data on the device"; out "auto: host, too small for the GPU (estimated "; out "through the GPU with copies)"
expect 0 plan 'oc8*0' 'or1031*0'; out "an empty batch"; no_err
expect 0 plan oc4194304; out "auto: host, then GPU after "; out " executions (estimated "
expect 0 plan ic512x512x512; out "auto: GPU (estimated "
expect 0 plan oc2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2; out "auto: host, too many dimensions"; no_out "then GPU"
FFTW3_GPU=off expect 0 plan ic512x512x512; out "  off: host, switched off (estimated "; no_out "auto: "
FFTW3_GPU=off FFTW3_GPU_MEMORY=20M expect 0 plan --precision=double ic1024x2048; out "  off: host, switched off"; no_out "slow in double"
FFTW3_GPU=force expect 0 plan oc64; out "  force: GPU (estimated "
FFTW3_GPU=force expect 0 plan --precision=double oc64; out "  force: GPU"; no_out "slow in double"
FFTW3_GPU=steady expect 0 plan oc64; out "  steady: host, "
expect 0 plan or64; out "pass"; out "auto: host, "
FFTW3_GPU_DOUBLE=single expect 0 plan --precision=double oc512x512x512; out ", double as single"
FFTW3_GPU_DOUBLE=host expect 0 plan --precision=double oc512x512x512; out "auto: host, double precision is for the host"
expect 0 plan --precision=double oc64; out "pass"; out "ocf64, double"; out "on GPUs that are slow in double precision: host, unless FFTW3_GPU_DOUBLE"
if "$program" info | grep -q '^cuda  *none: no CUDA driver'; then
  expect 0 plan oc4194304; out "on this machine: host, no GPU: the CUDA driver (libcuda.so.1) was not found"
fi
FFTW3_GPU_BACKEND=sim expect 0 plan oc4194304; ! grep -q 'on this machine' "$work/out" || fail "sim is here"
expect 0 plan ocf100000x100000x100000; out "does not fit in memory: arrays of 1.6e+07 GB"; out "auto: nowhere"; no_err
FFTW3_GPU_MEMORY=20M expect 0 plan ic1024x2048; out "does not fit in the GPU's memory: 0.03358 GB of 0.02097 GB"; out "auto: host, the GPU's"
FFTW3_GPU_MEMORY=1G expect 0 plan 'ic512x512*1024'; out "auto: GPU, in parts (estimated"
FFTW3_GPU_MEMORY=1% expect 0 plan 'ic512x512*1024'; out "auto: GPU, in parts (estimated"
expect 2 plan oc9999999:1x9999999:1x9999999:1x9999999:1; err "too large for the address space" # one shared element
expect 2 plan oc64 oops ic8; out "ocf64"; out "icf8" # one bad problem does not keep the others back

# ---- quickstart: what it does not understand changes nothing
mkdir -p "$work/clone/build"
cp "$top/quickstart" "$work/clone/"
echo precious >"$work/clone/build/quickstart.log"
for words in chekc 'check all' '--check'; do
  # shellcheck disable=SC2086
  "$work/clone/quickstart" $words >"$work/out" 2>"$work/err"
  [ $? -eq 2 ] || fail "quickstart $words: not refused"
  err "not understood: $words"; no_out
done
"$work/clone/quickstart" --help >"$work/out" || fail "quickstart --help"
for folder in 'a clone' a:clone; do
  mkdir "$work/$folder" && cp "$top/quickstart" "$work/$folder/"
  "$work/$folder/quickstart" >"$work/out" 2>"$work/err"
  [ $? -eq 1 ] || fail "quickstart in '$folder': not refused"
  out "a blank or a colon in the path"
  [ ! -e "$work/$folder/build" ] || fail "quickstart began in '$folder'"
done
[ "$(cat "$work/clone/build/quickstart.log")" = precious ] || fail "quickstart emptied its log"

finish
