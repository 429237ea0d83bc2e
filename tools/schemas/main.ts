// Renews the generated schemas of the workload kinds; needs Go, as the control plane is built from source.
import { projectRoot } from '../run-command.ts';
import { generateProtobufMessages } from './generate-protobuf-messages.ts';
import { generateWorkloadSchemas } from './generate-workload-schemas.ts';

await generateWorkloadSchemas(projectRoot);
await generateProtobufMessages(projectRoot);
