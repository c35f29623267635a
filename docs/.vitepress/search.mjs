import fs from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import MiniSearch from 'minisearch'

// What a user searches for, and the entry of troubleshooting that has to be among the first three hits.
const symptoms = {
  'method runs on two instances at the same time': 'a-method-runs-on-two-instances-at-once',
  'self invocation runs without lock': 'a-method-calls-a-locked-method-of-the-same-object',
  'methods annotated with @DistributedLockable run without a lock': 'locks-are-disabled',
  'was not acquired within 5s: another owner holds it': 'another-owner-holds-the-lock',
  'Deadlock of 2 calls': 'calls-wait-for-each-other',
  'lock stays held after the method returned': 'a-lock-stays-held-after-its-method',
  'Redis is down connection refused': 'redis-is-down',
  'WRONGPASS invalid username-password pair': 'redis-is-down',
  'whose instance does not answer': 'another-owner-holds-the-lock',
  'Redis did not answer within 2s': 'redis-does-not-answer',
  'NOPERM permission': 'a-permission-is-missing',
  'OOM maxmemory': 'redis-has-no-memory-left',
  'READONLY You can\'t write against a read only replica': 'redis-is-read-only',
  'WRONGTYPE': 'another-client-has-written-the-key',
  'replicas did not acknowledge': 'replicas-do-not-acknowledge',
  'majority of the masters': 'redlock-has-no-majority',
  'lock was lost EXPIRED': 'the-lease-expired',
  'is lost: the store has another owner or none': 'the-key-is-gone-from-redis',
  'LockLostException': 'a-call-fails-because-its-lock-is-lost',
  'IllegalMonitorStateException': 'the-thread-does-not-hold-the-lock',
  'NoUniqueBeanDefinitionException RedisConnectionFactory': 'two-connection-factories-exist',
  'unknown property distributed-lock': 'a-property-is-unknown',
}

/**
 * Fails if the search of the built site does not find each symptom in its first three hits.
 */
export async function checkSearch(folder, { searchOptions, options }) {
  const chunks = path.join(folder, 'assets/chunks')
  const index = fs.readdirSync(chunks).find((file) => file.startsWith('@localSearchIndexroot'))
  const { default: json } = await import(pathToFileURL(path.join(chunks, index)))
  // As VitePress does.
  const search = MiniSearch.loadJSON(json, {
    fields: ['title', 'titles', 'text'],
    storeFields: ['title', 'titles'],
    searchOptions: { fuzzy: 0.2, prefix: true, boost: { title: 4, text: 2, titles: 1 }, ...searchOptions },
    ...options,
  })
  const missed = Object.entries(symptoms).flatMap(([symptom, entry]) => {
    const hits = search.search(symptom).slice(0, 3).map(({ id }) => id)
    return hits.some((id) => id.endsWith(`troubleshooting.html#${entry}`)) ? [] : [`'${symptom}' finds ${hits.join(', ')}, not ${entry}`]
  })
  if (missed.length > 0) {
    throw new Error(missed.join('\n'))
  }
  console.log(`${Object.keys(symptoms).length} symptoms are found by the search`)
}
