const subjectPrefix = 'system:agent:';

/** Signer of the agents' serving certificates, as CertificateSigningRequests name it. */
export function nameServingSigner(domain: string): string {
  return `node.${domain}/agent-serving`;
}

/** Common name of the serving certificate of a node's agent. */
export function nameAgentSubject(nodeName: string): string {
  return `${subjectPrefix}${nodeName}`;
}

/** The node whose agent has this common name; `undefined` when it is not an agent's. */
export function findNodeOfSubject(commonName: string): string | undefined {
  const isAgents = commonName.startsWith(subjectPrefix) && commonName.length > subjectPrefix.length;
  return isAgents ? commonName.slice(subjectPrefix.length) : undefined;
}

/** Audience of the tokens that the operator shows to the agent of one node: another agent that got one could do nothing with it. */
export function nameAgentAudience(domain: string, nodeName: string): string {
  return `agent.${domain}/${nodeName}`;
}

/** ConfigMap, beside the agents, with the authorities of their certificates (`ca.crt`), for whoever calls them. */
export function nameAgentsBundle(domain: string): string {
  return `agents-authority.${domain}`;
}
