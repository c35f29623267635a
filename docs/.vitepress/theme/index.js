import theme from 'vitepress/theme-without-fonts'
import Diagram from './Diagram.vue'
import './style.css'

export default {
  extends: theme,
  enhanceApp: ({ app }) => app.component('Diagram', Diagram),
}
