import { objectStoreContract } from '../../test/contract/object-store.ts';
import { memoryStore } from './memory-store.ts';

objectStoreContract('memory', memoryStore);
