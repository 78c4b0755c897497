// The manifests of both browsers, made of one description. Permissions: docs/extension.md says what each is for.
export function manifestFor(browser, version) {
  const chromium = browser === 'chromium';
  const icons = Object.fromEntries([16, 32, 48, 128].map((size) => [size, `icons/sheaf-${size}.png`]));
  return {
    manifest_version: 3,
    name: '__MSG_name__',
    description: '__MSG_description__',
    version,
    default_locale: 'en',
    icons,
    action: { default_popup: 'popup.html', default_title: '__MSG_name__', default_icon: icons },
    omnibox: { keyword: 'sh' },
    permissions: [
      'activeTab', // the page that the reader pressed the button on
      'scripting', // looks for an offline index there
      'contextMenus',
      'storage',
      'unlimitedStorage',
      ...(chromium ? ['offscreen', 'sidePanel'] : []),
    ],
    optional_host_permissions: ['https://*/*', 'http://*/*'],
    content_security_policy: {
      extension_pages:
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self' https: http:; object-src 'none'; base-uri 'none'; form-action 'none'",
    },
    commands: {
      _execute_action: { suggested_key: { default: 'Alt+S' } },
      'open-panel': { suggested_key: { default: 'Alt+Shift+S' }, description: '__MSG_openPanel__' },
    },
    ...(chromium
      ? {
          minimum_chrome_version: '123',
          background: { service_worker: 'extension/background.js', type: 'module' },
          side_panel: { default_path: 'panel.html' },
        }
      : {
          background: { page: 'background.html' },
          sidebar_action: {
            default_panel: 'panel.html',
            default_title: '__MSG_name__',
            default_icon: icons,
            open_at_install: false,
          },
          browser_specific_settings: {
            gecko: {
              id: 'sheaf@sheaf-search.example',
              strict_min_version: '142.0',
              data_collection_permissions: { required: ['none'] },
            },
          },
        }),
  };
}
