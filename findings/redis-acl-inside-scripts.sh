#!/usr/bin/env bash
# Redis 7.0.15 (Debian's redis-server; REDIS_SERVER names another one).
# Guess: a missing right of an ACL user is always reported as NOPERM with the command's name, and `ACL DRYRUN` tells
# beforehand whether a user may make a call. So a client that maps NOPERM to "missing right" finds each of them, and an
# operator can try a user's rules on the calls that a program makes.
# Seen: a command that is refused inside a Lua script is a plain ERR without the command's name, and `ACL DRYRUN` answers OK
# for the EVAL that fails so. The log of `ACL LOG` alone has the command, under "lua".
# Meaning: a program whose atomic steps are scripts can only learn its missing rights by running every branch of every
# script. Do that at the start, or the right is missed in the middle of a payment. Match the text of the ERR too.
set -euo pipefail
server=${REDIS_SERVER:-$(command -v redis-server || true)}
[[ -x $server ]] || { echo "needs redis-server: set REDIS_SERVER" >&2; exit 2; }
folder=$(mktemp -d)
port=$((20000 + RANDOM % 20000))
"$server" --port "$port" --bind 127.0.0.1 --save "" --dir "$folder" >/dev/null &
pid=$!
trap 'kill "$pid"; wait "$pid" 2>/dev/null || true; rm -rf "$folder"' EXIT
admin() { redis-cli -p "$port" "$@"; }
for _ in $(seq 100); do admin ping >/dev/null 2>&1 && break; sleep 0.1; done
"$server" --version
admin ACL SETUSER app on '>pw' '~*' +@all -hset >/dev/null
app() { redis-cli -p "$port" --user app --pass pw --no-auth-warning "$@" 2>&1 || true; }
script="return redis.call('HSET', KEYS[1], 'a', '1')"
direct=$(app HSET key a 1)
inside=$(app EVAL "$script" 1 key)
dry=$(admin ACL DRYRUN app EVAL "$script" 1 key)
logged=$(admin ACL LOG)
printf 'HSET alone:       %s\nHSET in a script: %s\nACL DRYRUN EVAL:  %s\n' "$direct" "$inside" "$dry"
grep -A1 -E '^(context|object)$' <<<"$logged" | paste -sd' '
[[ $direct == NOPERM* && $direct == *"'hset' command"* ]]
[[ $inside == ERR* && $inside != *NOPERM* && $inside != *hset* && $dry == OK ]]
