import Theme from 'vitepress/theme-without-fonts';
import Home from './Home.vue';
import './style.css';

export default { extends: Theme, enhanceApp: ({ app }) => app.component('Home', Home) };
