import { request } from 'node:https';

/** Whom to ask for what, and how to know that it is the one. */
export interface OperatorQuestion {
  /** Address of one of the operator's pods. */
  readonly address: string;
  readonly path: string;
  readonly token: string;
  /** PEM of the authorities that may have signed its certificate. */
  readonly authority: string;
  readonly serverName: string;
}

/** Asks the API service of a replica as a client with a token does; throws when no answer came. */
export function askOperator(question: OperatorQuestion): Promise<{ status: number; body: string }> {
  const { address, path, token, authority, serverName } = question;
  return new Promise((resolve, reject) => {
    const call = request(
      {
        ...{ host: address, port: 6443, path, ca: authority, servername: serverName, agent: false },
        headers: { authorization: `Bearer ${token}`, accept: 'application/json' },
      },
      (answer) => {
        let body = '';
        answer.on('data', (chunk: Buffer) => (body += chunk.toString('utf8')));
        answer.on('error', reject);
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body }));
      },
    );
    call.on('error', reject);
    call.end();
  });
}
