import { type ChildProcess, spawn } from 'node:child_process'

/**
 * A process killed by SIGKILL cannot clean up, and a server that ignores the end of its stdin outlives it (field report
 * 02.06). So a helper of our own holds the other end of a pipe and the numbers of our process groups. However this
 * process ends, the kernel closes the pipe; the helper then kills every group it still has in its list.
 *
 * It is plain `/bin/sh`, which is everywhere and small, within what POSIX asks of it (dash knows no `kill --`). It
 * leads a group of its own and ignores the signals of a terminal, so that nothing but SIGKILL takes it along. The half
 * second is for servers that end by themselves when their stdin does.
 */
const SCRIPT = `
trap '' HUP INT TERM QUIT
groups=' '
while read -r change group; do
  case $change in
    add) groups="$groups$group " ;;
    remove)
      left=' '
      for one in $groups; do [ "$one" = "$group" ] || left="$left$one "; done
      groups=$left ;;
  esac
done
[ "$groups" = ' ' ] && exit 0
sleep 0.5 2>/dev/null
for one in $groups; do kill -9 "-$one" 2>/dev/null; done
`

const watched = new Set<number>()
let helper: ChildProcess | undefined

/** Has a process group killed if this process ends without having done so. No effect on Windows. */
export function watch(group: number): void {
  if (process.platform === 'win32') return
  watched.add(group)
  if (helper) tell(`add ${group}`)
  else startHelper()
}

/** Takes a group off the list; the helper ends with the last one. */
export function unwatch(group: number): void {
  if (!watched.delete(group)) return
  tell(`remove ${group}`)
  if (watched.size > 0) return
  helper?.stdin?.end()
  helper = undefined
}

/** The running helper's process id, for those who look at the children of this process. */
export function watchdogPid(): number | undefined {
  return helper?.pid
}

function startHelper(): void {
  const started = spawn('/bin/sh', ['-c', SCRIPT], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    env: { PATH: '/usr/bin:/bin' },
  })
  helper = started
  // Neither a missing /bin/sh nor a helper that somebody killed may harm its wires; the next wire starts another.
  const lost = () => {
    if (helper === started) helper = undefined
  }
  started.on('error', lost)
  started.on('exit', lost)
  started.stdin.on('error', lost)
  // The helper is there for as long as this process is, never the other way round.
  started.unref()
  if ('unref' in started.stdin && typeof started.stdin.unref === 'function') started.stdin.unref()
  for (const group of watched) tell(`add ${group}`)
}

function tell(line: string): void {
  if (helper?.stdin?.writable) helper.stdin.write(`${line}\n`)
}
