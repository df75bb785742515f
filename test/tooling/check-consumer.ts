/**
 * Packs the package, installs the tarball in an empty project, and there type-checks and runs what a user of the
 * published package might write: a program that imports every subpath, and the extended chart of the documentation.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const manifest = JSON.parse(readFileSync('package.json', 'utf8'))
const modules: string[] = Object.keys(manifest.exports)
  .filter((subpath) => !subpath.endsWith('.json'))
  .map((subpath) => subpath.replace('.', manifest.name))

const program = `${modules.map((name, i) => `import * as m${i} from '${name}'`).join('\n')}
for (const [name, module] of Object.entries({ ${modules.map((name, i) => `'${name}': m${i}`).join(', ')} })) {
  const names = Object.keys(module)
  if (names.length === 0) throw new Error(name + ' exports nothing')
  console.log(name + ': ' + names.join(', '))
}
`
const settings = {
  compilerOptions: { module: 'NodeNext', target: 'ES2023', strict: true, types: ['node'], skipLibCheck: false },
  files: [
    'consumer.ts',
    'test/consumer/types.ts',
    'docs/examples/extending/run.ts',
    'docs/examples/extending/explore.ts',
  ],
}
/** Each program, and what it has to end with. */
const programs = {
  'consumer.js': /testing: .+$/,
  'docs/examples/extending/run.js':
    /^answer 1\nprovider\.quota: .*\nanswer 3\nin maintenance: true, backoff\nanswer 4$/,
  'docs/examples/extending/explore.js': /violations +0\na way leads back from everywhere$/,
}

const tree = process.cwd()
const project = mkdtempSync(join(tmpdir(), 'consumer-'))

function run(cwd: string, command: string, ...args: string[]): string {
  const { status, stdout, error } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (status === 0) return stdout.trim()
  console.error(error ?? stdout)
  throw new Error(`${command} ${args.join(' ')} ended with ${status}`)
}

try {
  const [{ filename }] = JSON.parse(
    run(tree, 'npm', 'pack', '--json', '--ignore-scripts', '--pack-destination', project),
  )
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'consumer', private: true, type: 'module' }))
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(settings))
  writeFileSync(join(project, 'consumer.ts'), program)
  for (const folder of ['docs/examples/extending', 'test/consumer'])
    cpSync(folder, join(project, folder), { recursive: true })
  const nodeTypes = `@types/node@${manifest.devDependencies['@types/node']}`
  run(project, 'npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', `./${filename}`, nodeTypes)
  run(project, process.execPath, resolve('node_modules/typescript/bin/tsc'), '-p', '.')
  for (const [file, ending] of Object.entries(programs)) {
    const said = run(project, process.execPath, file)
    console.log(said)
    if (!ending.test(said)) throw new Error(`${file} did not end with ${ending}`)
  }
} finally {
  rmSync(project, { recursive: true, force: true })
}
