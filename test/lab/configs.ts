/** Configurations of proxies, as people write them. */

/** nginx before one server, or more: `upstream` is the inside of an upstream block. */
export const passing = (port: number, upstream: string, more = 'proxy_buffering off;') => `
  upstream mcp { ${upstream} }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://mcp; proxy_http_version 1.1; proxy_set_header Connection ''; ${more}
    }
  }`

/** haproxy before the servers of `backend`. */
export const through = (port: number, timeouts: string, backend: string) => `
  defaults
    mode http
    timeout connect 2s
    ${timeouts}
  frontend front
    bind 127.0.0.1:${port}
    default_backend replicas
  backend replicas
    ${backend}`

/** Nothing is cut. */
export const lasting = 'timeout client 60s\n    timeout server 60s'
