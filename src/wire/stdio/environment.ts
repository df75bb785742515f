/**
 * What a server may see of this process's environment unasked: what the SDK passes on, and what it takes to get out
 * through a company's proxy and its certificates. Anything else may be a secret of the host's.
 */
const POSIX_NAMES = ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER']
const WINDOWS_NAMES = [
  'APPDATA',
  'HOMEDRIVE',
  'HOMEPATH',
  'LOCALAPPDATA',
  'PATH',
  'PATHEXT',
  'PROCESSOR_ARCHITECTURE',
  'PROGRAMFILES',
  'SYSTEMDRIVE',
  'SYSTEMROOT',
  'TEMP',
  'USERNAME',
  'USERPROFILE',
]
const TLS_NAMES = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR']
const PROXY_NAMES = ['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY', 'ALL_PROXY']

/** Names of the variables that a child inherits without being asked, on the given platform. */
function inheritedNames(platform: NodeJS.Platform): string[] {
  const own = platform === 'win32' ? WINDOWS_NAMES : POSIX_NAMES
  return [...own, ...TLS_NAMES, ...PROXY_NAMES, ...PROXY_NAMES.map((name) => name.toLowerCase())]
}

export interface EnvironmentSource {
  /** The server's own variables; `undefined` takes an inherited one away. */
  own?: Record<string, string | undefined> | undefined
  /** Names to inherit beyond the safe ones. */
  inherit?: string[] | undefined
  /** The environment to inherit from. */
  from: Record<string, string | undefined>
  platform: NodeJS.Platform
}

/**
 * The whole environment of a child. Inherited values that a shell would take for a function (`() {…`) are left out, as
 * in the SDK. On Windows, where names have no case, a name of the server's own replaces any spelling of it.
 */
export function childEnvironment({
  own = {},
  inherit = [],
  from,
  platform,
}: EnvironmentSource): Record<string, string> {
  const fold = (name: string) => (platform === 'win32' ? name.toUpperCase() : name)
  const wanted = new Set([...inheritedNames(platform), ...inherit].map(fold))
  const variables = new Map<string, [name: string, value: string]>()
  for (const [name, value] of Object.entries(from)) {
    if (value === undefined || value.startsWith('()') || !wanted.has(fold(name))) continue
    variables.set(fold(name), [name, value])
  }
  for (const [name, value] of Object.entries(own)) {
    if (value === undefined) variables.delete(fold(name))
    else variables.set(fold(name), [name, value])
  }
  return Object.fromEntries(variables.values())
}
