// The line to the program: opened again whenever it is lost, since the program may be restarted under the same link.

const FIRST_MS = 500
const MOST_MS = 8000

/** The token stands behind the # of the link. It is taken out of the address bar, so that no screenshot shows it. */
export function takeToken() {
  const given = new URLSearchParams(location.hash.slice(1)).get('token')
  if (given) {
    sessionStorage.setItem('token', given)
    history.replaceState(null, '', location.pathname)
  }
  return sessionStorage.getItem('token') ?? undefined
}

/**
 * @param {string} token
 * @param {{ message(message: import('../messages.js').ToPage): void, state(state: 'open' | 'lost' | 'refused'): void }} on
 * @returns {(message: import('../messages.js').FromPage) => void} says something to the program
 */
export function connect(token, on) {
  /** @type {WebSocket | undefined} */
  let socket
  let wait = FIRST_MS
  let wasOpen = false
  const open = () => {
    const made = new WebSocket(`ws://${location.host}/live?token=${encodeURIComponent(token)}`)
    socket = made
    made.addEventListener('open', () => {
      wait = FIRST_MS
      wasOpen = true
      on.state('open')
    })
    made.addEventListener('message', ({ data }) => on.message(JSON.parse(String(data))))
    made.addEventListener('close', () => {
      // Browsers do not tell why: before the first opening, most likely the token is of an earlier run.
      on.state(wasOpen ? 'lost' : 'refused')
      setTimeout(open, wait)
      wait = Math.min(MOST_MS, wait * 2)
    })
  }
  open()
  return (message) => {
    if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message))
  }
}
