#!/bin/sh
# Compiles a file as emcc or em++ would (SHEAF_EMCC names it), without its start: Python reads 20 files before it runs clang.
#
# emcc's command is clang, flags of its own, then the flags given, without its settings (-sNAME=VALUE). Its own flags depend
# on the settings and on some -f flags alone. So this asks emcc once for each set of them, and keeps the answer beside itself.
settings=
for argument; do
  shift
  case $argument in
    -s[A-Z]*) settings="$settings $argument"; continue ;;
    -fwasm-exceptions | -fexceptions | -fno-exceptions | -fvisibility=* | -fPIC | -flto*) settings="$settings $argument" ;;
    -pthread | -nostdinc | @*) exec "$SHEAF_EMCC" "$@" "$argument" ;;  # never of ours
  esac
  set -- "$@" "$argument"
done
kept="$0.flags$(printf %s "$settings" | tr -c 'A-Za-z0-9=+\n' _)"
if [ ! -s "$kept" ]; then
  empty=$(mktemp -d "$0-XXXXXX") || exit 1
  : >"$empty/empty.c"
  # shellcheck disable=SC2086
  "$SHEAF_EMCC" -v $settings -c "$empty/empty.c" -o "$empty/empty.o" 2>&1 |
    sed -n '/^ "[^"]*clang[^"]*" .*-target .* -v /{s/ -v .*//p;q;}' >"$empty/command"
  if [ ! -s "$empty/command" ]; then
    echo "$0: expected a line with clang's command from $SHEAF_EMCC -v$settings" >&2
    exit 1
  fi
  mv "$empty/command" "$kept"
  rm -r "$empty"
fi
read -r command <"$kept"
eval "exec $command \"\$@\""
