/** Part of the build: the files of src/inspect that are served or run as they are lie beside what was compiled. */
import { cpSync, statSync } from 'node:fs'

cpSync('src/inspect', 'dist/src/inspect', {
  recursive: true,
  filter: (path) => statSync(path).isDirectory() || /\.(js|css|html|svg)$/.test(path),
})
