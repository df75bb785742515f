import { readFileSync } from 'node:fs'
import { type Comment, parseSync, type TSSignature, type TSType } from 'oxc-parser'

/** What a TypeScript file says of its interfaces and lists, with the comments that stand before them. */
export interface Member {
  /** With the names of what it lies in: `timeouts.callMs`. */
  readonly name: string
  readonly optional: boolean
  readonly type: string
  /** The comment before it as one line of Markdown; empty if there is none. */
  readonly text: string
}

/** The members of an interface, nested ones included, in the order of the file. */
export function membersOf(path: string, interfaceName: string): Member[] {
  const file = parse(path)
  const body = file.program.body
    .map((statement) => (statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement))
    .find((node) => node?.type === 'TSInterfaceDeclaration' && node.id.name === interfaceName)
  if (body?.type !== 'TSInterfaceDeclaration') throw new Error(`${path} declares no interface ${interfaceName}`)
  return body.body.body.flatMap((signature) => members(file, signature, ''))
}

/** The `type` literals of a union of events, in the order of the file. */
export function eventTypesOf(path: string, unionName: string): string[] {
  const { program, text } = parse(path)
  const alias = program.body
    .map((statement) => (statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement))
    .find((node) => node?.type === 'TSTypeAliasDeclaration' && node.id.name === unionName)
  if (!alias) throw new Error(`${path} declares no type ${unionName}`)
  return [...text.slice(alias.start, alias.end).matchAll(/\btype: '([^']+)'/g)].map(([, type = '']) => type)
}

/** The source of the property `when` of each rule of a file, by the rule's id. */
export function conditionsOf(path: string): Map<string, string> {
  const text = readFileSync(path, 'utf8')
  const found = text.matchAll(/^ {4}id: '([^']+)',[\s\S]*?^ {4}when: ([\s\S]*?),\n {4}ruling: /gm)
  return new Map([...found].map(([, id = '', when = '']) => [id, when.replace(/\s+/g, ' ').replace(/^\(e\) => /, '')]))
}

interface File extends ReturnType<typeof parseSync> {
  readonly text: string
}

function parse(path: string): File {
  const text = readFileSync(path, 'utf8')
  const { program, comments, errors, module } = parseSync(path, text)
  if (errors[0]) throw new Error(`${path} does not parse: ${errors[0].message}`)
  return { program, comments, errors, module, text } as File
}

function members(file: File, signature: TSSignature, prefix: string): Member[] {
  if (signature.type !== 'TSPropertySignature' || signature.key.type !== 'Identifier') return []
  const name = prefix + signature.key.name
  const type = signature.typeAnnotation?.typeAnnotation
  const own: Member = {
    name,
    optional: signature.optional,
    type: type ? file.text.slice(type.start, type.end).replace(/\s+/g, ' ').replace(/^\| /, '') : 'unknown',
    text: commentBefore(file, signature.start),
  }
  const inner = type?.type === 'TSTypeLiteral' ? nested(file, type, `${name}.`) : []
  return inner.length > 0 ? [...(own.text ? [{ ...own, type: '' }] : []), ...inner] : [own]
}

function nested(file: File, type: TSType & { type: 'TSTypeLiteral' }, prefix: string): Member[] {
  return type.members.flatMap((signature) => members(file, signature, prefix))
}

function commentBefore({ comments, text }: File, start: number): string {
  const near = comments.find(
    (comment) => comment.type === 'Block' && comment.end <= start && text.slice(comment.end, start).trim() === '',
  )
  return near ? readable(near) : ''
}

/** Links and line starts of a comment are for editors. */
function readable({ value }: Comment): string {
  return value
    .replace(/^\s*\*+ ?/gm, '')
    .replace(/\{@link (\w+)\}/g, '`$1`')
    .replace(/\s+/g, ' ')
    .trim()
}
