/** A process that shares its logins with others: `child.ts URL FOLDER`. Each line on stdin is one connection and one call. */
import { createInterface } from 'node:readline'
import { fileStore, oauth } from '../../../src/auth/index.js'
import { createConnection } from '../../../src/index.js'

const [url = '', path = ''] = process.argv.slice(2)

async function callOnce(text: string): Promise<string> {
  const authorizer = oauth({
    store: fileStore({ path, locks: { staleMs: 2_000 } }),
    redirectUrl: 'http://127.0.0.1:4711/callback',
  })
  await using connection = createConnection({ name: `process ${process.pid}`, target: { url }, authorizer })
  const asked = new Promise<string>((resolve) => {
    connection.authorization$.subscribe((login) => login && resolve('a login is needed'))
  })
  const called = connection
    .callTool({ name: 'read', arguments: { text } })
    .then(({ content }) => Object(content[0]).text)
  return await Promise.race([called.catch((error) => String(error)), asked])
}

console.log('ready')
for await (const line of createInterface({ input: process.stdin })) console.log(await callOnce(line))
