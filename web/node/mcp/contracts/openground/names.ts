/** The tools' names, which other texts name, too. */
export const LIST_TOOL = 'list_libraries_tool';
export const SEARCH_TOOL = 'search_documents_tool';
export const CONTENT_TOOL = 'get_full_content_tool';
