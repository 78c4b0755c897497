/**
 * What a client may learn of a server over HTTP before it connects: a Server Card (SEP-2127), at the address that the
 * extension recommends, `/mcp/server-card`. It says where to connect and which token is needed; what there is to call is
 * learned by connecting. Pure.
 */
export const CARD_TYPE = 'application/mcp-server-card+json';

export interface CardFacts {
  /** As the client asked for it: `127.0.0.1:8383`. */
  host: string;
  version: string;
  needsToken: boolean;
}

export function serverCard({ host, version, needsToken }: CardFacts): Record<string, unknown> {
  const authorization = {
    name: 'Authorization',
    description: 'The token that the server was started with, as: Bearer TOKEN',
    isRequired: true,
    isSecret: true,
  };
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/v2/server-card.schema.json',
    name: 'sheaf/sheaf',
    version,
    title: 'Sheaf documentation search',
    description: 'Hybrid search of installed documentation, by words and by meaning.',
    remotes: [
      {
        type: 'streamable-http',
        url: `http://${host}/mcp`,
        ...(needsToken ? { headers: [authorization] } : {}),
      },
    ],
  };
}
