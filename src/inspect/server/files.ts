/** The files of the page. They lie in the package as they are served: no build, no other place they come from. */
import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Gate } from './gate.js'

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml; charset=utf-8',
}

/** Every path there is. A path that is not listed is not looked for. */
const files: Readonly<Record<string, string>> = {
  '/': 'index.html',
  ...Object.fromEntries(
    [
      'base.css',
      'frame.css',
      'detail.css',
      'cards.css',
      'narrow.css',
      'icon.svg',
      'main.js',
      'socket.js',
      'dom.js',
      'list.js',
      'ribbon.js',
      'chart.js',
      'detail.js',
      'words.js',
    ].map((name) => [`/${name}`, name]),
  ),
}

/** No script, style, font or image from elsewhere, none inline; nobody may frame the page or learn where it is. */
const headersFor = (port: number): Readonly<Record<string, string>> => ({
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    // Not every browser counts WebSockets among 'self'. (An IPv6 address cannot be named here.)
    `connect-src 'self' ws://127.0.0.1:${port} ws://localhost:${port}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
})

export async function serveFile(
  request: IncomingMessage,
  response: ServerResponse,
  gate: Gate,
  port: number,
): Promise<void> {
  const headers = headersFor(port)
  const refusal = gate.refuseFile(request)
  const [path = '/'] = (request.url ?? '/').split('?')
  const name = Object.hasOwn(files, path) ? files[path] : undefined
  if (refusal) response.writeHead(refusal, headers).end()
  else if (request.method !== 'GET' && request.method !== 'HEAD')
    response.writeHead(405, { ...headers, allow: 'GET, HEAD' }).end()
  else if (name === undefined) response.writeHead(404, headers).end()
  else {
    const body = await readFile(new URL(`../page/${name}`, import.meta.url))
    const type = types[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream'
    response.writeHead(200, { ...headers, 'content-type': type, 'content-length': body.length })
    response.end(request.method === 'HEAD' ? undefined : body)
  }
}
