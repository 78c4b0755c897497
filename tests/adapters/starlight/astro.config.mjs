import { defineConfig, passthroughImageService } from 'astro/config';
import starlight from '@astrojs/starlight';
import sheaf from 'sheaf/starlight';

export default defineConfig({
  site: 'https://tidemark.example',
  base: '/handbook',
  image: { service: passthroughImageService() },
  integrations: [
    starlight({
      title: 'Tidemark',
      ...(process.env.TIDEMARK_SEARCH !== 'own' && { plugins: [sheaf()] }),
      locales: { root: { label: 'English', lang: 'en' }, de: { label: 'Deutsch', lang: 'de' } },
      editLink: { baseUrl: 'https://tidemark.example/edit/' },
      sidebar: [
        { label: 'Guide', autogenerate: { directory: 'guide' } },
        { label: 'Reference', autogenerate: { directory: 'reference' } },
      ],
    }),
  ],
});
