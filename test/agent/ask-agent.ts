import { request } from 'node:https';

/** Which agent, and as whom; `authority` (PEM) must have signed its certificate, which is of `nodeName`. */
export interface AgentAccess {
  readonly address: string;
  readonly nodeName: string;
  readonly authority: string;
  readonly token: string;
}

/** What an agent answered; the body is text. */
export interface AgentAnswer {
  readonly status: number;
  readonly body: string;
}

/** Makes one request to an agent's own port, and tells of every piece of its answer as it comes. Throws when no whole answer came. */
export function askAgent(
  access: AgentAccess,
  method: string,
  path: string,
  onText: (text: string) => void = () => undefined,
): Promise<AgentAnswer> {
  const { address, nodeName, authority, token } = access;
  return new Promise((resolve, reject) => {
    const call = request(
      {
        ...{ method, host: address, port: 10_350, path, ca: authority, servername: nodeName, agent: false },
        headers: { authorization: `Bearer ${token}` },
      },
      (answer) => {
        let body = '';
        answer.on('data', (chunk: Buffer) => {
          const text = chunk.toString('utf8');
          body += text;
          onText(text);
        });
        answer.on('error', reject);
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body }));
      },
    );
    call.on('error', reject);
    call.end();
  });
}
