import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'
import { checkDiagrams, checkSite } from './check.mjs'
import { checkSearch } from './search.mjs'
import { checkSidebar, diagrams, plainCorners, relativeLinks, repository, root, sidebar, sitePage, slugify } from './pages.mjs'

const lock = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path fill="none" stroke="#3451b2" stroke-width="2" d="M5 8V5a3 3 0 0 1 6 0v3"/>'
  + '<rect x="3" y="7" width="10" height="8" rx="1.5" fill="#3451b2"/></svg>'

// The Mermaid diagrams of all pages.
const found = []

export default defineConfig({
  title: 'Lockable',
  description: 'A Spring Boot starter for distributed locks on Redis',
  lang: 'en',
  head: [['link', { rel: 'icon', href: `data:image/svg+xml,${encodeURIComponent(lock)}` }]],

  srcDir: root,
  srcExclude: ['!(README|CONTRIBUTING|CHANGELOG).md', '!(docs|verification)/**/*', '**/target/**', '**/src/**'],
  outDir: `${root}/target/site`,
  cacheDir: `${root}/target/site-cache`,
  rewrites: sitePage,
  ignoreDeadLinks: 'localhostLinks',
  buildEnd: async ({ pages, outDir, site }) => {
    checkSidebar(pages)
    await checkDiagrams(found)
    checkSite(outDir, site.base)
    await checkSearch(outDir, site.themeConfig.search.options.miniSearch)
  },

  markdown: {
    // Readable for everyone: each color has a contrast of 4.5 or more.
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    anchor: { slugify },
    // GitHub lacks this extension.
    attrs: { disable: true },
    config: (md) => md.use(relativeLinks).use(plainCorners).use(diagrams(found)),
  },

  vite: {
    plugins: [
      {
        // Pages become modules that import Vue, and no package is installed in a folder above them.
        name: 'packages-of-this-folder',
        enforce: 'pre',
        resolveId(id, importer, options) {
          return importer?.endsWith('.md') && /^vue\b/.test(id) ? this.resolve(id, fileURLToPath(import.meta.url), options) : null
        },
      },
    ],
    server: { watch: { ignored: ['**/target/**', '**/src/**'] } },
  },

  themeConfig: {
    nav: [
      { text: 'Getting started', link: '/getting-started' },
      { text: 'Annotation', link: '/annotation' },
      { text: 'Properties', link: '/properties' },
      { text: 'Troubleshooting', link: '/troubleshooting' },
      { text: 'Repository', link: repository },
    ],
    sidebar: sidebar.map(({ items, ...group }) => ({ ...group, items: items.map(({ text, link }) => ({ text, link })) })),
    outline: [2, 3],
    search: {
      provider: 'local',
      options: {
        miniSearch: {
          // Names such as distributed-lock.wait-time are words of their own beside their parts.
          options: { tokenize: (text) => [...text.split(/[\n\r\p{Z}\p{P}]+/u), ...(text.match(/\w+([-.]\w+)+/g) ?? [])] },
          // The entries of symptoms come first, and pages about Lockable itself last.
          searchOptions: {
            boostDocument: (id) =>
              id.includes('/troubleshooting') ? 1.5 : /\/(comparison|architecture|decisions|reliability|simulation|protocol|campaign|performance|benchmarks|contributing|changelog)\b/.test(id) ? 0.5 : 1,
          },
        },
      },
    },
  },
})
