/** The Kubernetes release whose kubelet the agent stands for, as Nodes tell it; clients compare it with that of the API server. */
export const agentVersion = 'v1.34.4+bailiwick';
