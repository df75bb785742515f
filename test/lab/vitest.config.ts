import { suiteApart } from '../apart.js'

/** Needs nginx, haproxy, iptables and the right to make network namespaces; one situation at a time. */
export default suiteApart(
  { include: ['*.test.ts'], fileParallelism: false, testTimeout: 120_000, hookTimeout: 60_000 },
  import.meta.dirname,
)
