/** Part of the build. */
import { copyPageFiles } from './page-files.js'

copyPageFiles('dist')
