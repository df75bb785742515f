/** An event as text: `frame({ id: 'e1', data: { … } })`. */
export function frame({
  event,
  id,
  retry,
  data,
}: {
  event?: string
  id?: string
  retry?: number
  data?: unknown
}): string {
  const lines = [
    ...(event !== undefined ? [`event: ${event}`] : []),
    ...(id !== undefined ? [`id: ${id}`] : []),
    ...(retry !== undefined ? [`retry: ${retry}`] : []),
    ...(data !== undefined ? [`data: ${typeof data === 'string' ? data : JSON.stringify(data)}`] : []),
  ]
  return `${lines.join('\n')}\n\n`
}
