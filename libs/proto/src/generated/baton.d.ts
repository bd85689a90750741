import * as $protobuf from "protobufjs/minimal.js";
import Long = require("long");

/** Namespace baton. */
export namespace baton {

    /** Namespace v1. */
    namespace v1 {

        /** Tier enum. */
        enum Tier {

            /** TIER_UNSPECIFIED value */
            TIER_UNSPECIFIED = 0,

            /** TIER_HBM value */
            TIER_HBM = 1,

            /** TIER_DRAM value */
            TIER_DRAM = 2,

            /** TIER_SSD value */
            TIER_SSD = 3,

            /** TIER_HOST value */
            TIER_HOST = 4,

            /** TIER_STORAGE value */
            TIER_STORAGE = 5
        }

        /** Role enum. */
        enum Role {

            /** ROLE_UNSPECIFIED value */
            ROLE_UNSPECIFIED = 0,

            /** ROLE_PREFILL value */
            ROLE_PREFILL = 1,

            /** ROLE_DECODE value */
            ROLE_DECODE = 2,

            /** ROLE_BOTH value */
            ROLE_BOTH = 3
        }

        /**
         * Properties of an Epoch.
         * @deprecated Use baton.v1.Epoch.$Properties instead.
         */
        interface IEpoch extends baton.v1.Epoch.$Properties {
        }

        /** Represents an Epoch. */
        class Epoch {

            /**
             * Constructs a new Epoch.
             * @param [properties] Properties to set
             */
            constructor(properties?: baton.v1.Epoch.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** Epoch startedAtMs. */
            startedAtMs: number;

            /** Epoch nonce. */
            nonce: number;

            /**
             * Creates a new Epoch instance using the specified properties.
             * @param [properties] Properties to set
             * @returns Epoch instance
             */
            static create(properties: baton.v1.Epoch.$Shape): baton.v1.Epoch & baton.v1.Epoch.$Shape;
            static create(properties?: baton.v1.Epoch.$Properties): baton.v1.Epoch;

            /**
             * Encodes the specified Epoch message. Does not implicitly {@link baton.v1.Epoch.verify|verify} messages.
             * @param message Epoch message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: baton.v1.Epoch.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an Epoch message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {baton.v1.Epoch & baton.v1.Epoch.$Shape} Epoch
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): baton.v1.Epoch & baton.v1.Epoch.$Shape;
        }

        namespace Epoch {

            /** Properties of an Epoch. */
            interface $Properties {

                /** Epoch startedAtMs */
                startedAtMs?: (number|null);

                /** Epoch nonce */
                nonce?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of an Epoch. */
            type $Shape = baton.v1.Epoch.$Properties;
        }

        /**
         * Properties of a KvLayout.
         * @deprecated Use baton.v1.KvLayout.$Properties instead.
         */
        interface IKvLayout extends baton.v1.KvLayout.$Properties {
        }

        /** Represents a KvLayout. */
        class KvLayout {

            /**
             * Constructs a new KvLayout.
             * @param [properties] Properties to set
             */
            constructor(properties?: baton.v1.KvLayout.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** KvLayout modelRevision. */
            modelRevision: string;

            /** KvLayout dtype. */
            dtype: string;

            /** KvLayout layers. */
            layers: number;

            /** KvLayout ranks. */
            ranks: number;

            /** KvLayout blockTokens. */
            blockTokens: number;

            /** KvLayout connector. */
            connector: string;

            /** KvLayout connectorVersion. */
            connectorVersion: string;

            /** KvLayout bytesPerToken. */
            bytesPerToken: number;

            /** KvLayout segmentBytes. */
            segmentBytes: number;

            /**
             * Creates a new KvLayout instance using the specified properties.
             * @param [properties] Properties to set
             * @returns KvLayout instance
             */
            static create(properties: baton.v1.KvLayout.$Shape): baton.v1.KvLayout & baton.v1.KvLayout.$Shape;
            static create(properties?: baton.v1.KvLayout.$Properties): baton.v1.KvLayout;

            /**
             * Encodes the specified KvLayout message. Does not implicitly {@link baton.v1.KvLayout.verify|verify} messages.
             * @param message KvLayout message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: baton.v1.KvLayout.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a KvLayout message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {baton.v1.KvLayout & baton.v1.KvLayout.$Shape} KvLayout
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): baton.v1.KvLayout & baton.v1.KvLayout.$Shape;
        }

        namespace KvLayout {

            /** Properties of a KvLayout. */
            interface $Properties {

                /** KvLayout modelRevision */
                modelRevision?: (string|null);

                /** KvLayout dtype */
                dtype?: (string|null);

                /** KvLayout layers */
                layers?: (number|null);

                /** KvLayout ranks */
                ranks?: (number|null);

                /** KvLayout blockTokens */
                blockTokens?: (number|null);

                /** KvLayout connector */
                connector?: (string|null);

                /** KvLayout connectorVersion */
                connectorVersion?: (string|null);

                /** KvLayout bytesPerToken */
                bytesPerToken?: (number|null);

                /** KvLayout segmentBytes */
                segmentBytes?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a KvLayout. */
            type $Shape = baton.v1.KvLayout.$Properties;
        }

        /**
         * Properties of a MeetingPoint.
         * @deprecated Use baton.v1.MeetingPoint.$Properties instead.
         */
        interface IMeetingPoint extends baton.v1.MeetingPoint.$Properties {
        }

        /** Represents a MeetingPoint. */
        class MeetingPoint {

            /**
             * Constructs a new MeetingPoint.
             * @param [properties] Properties to set
             */
            constructor(properties?: baton.v1.MeetingPoint.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** MeetingPoint host. */
            host: string;

            /** MeetingPoint port. */
            port: number;

            /** MeetingPoint engineIds. */
            engineIds: string[];

            /** MeetingPoint tensorRanks. */
            tensorRanks: number;

            /** MeetingPoint pipelineRanks. */
            pipelineRanks: number;

            /**
             * Creates a new MeetingPoint instance using the specified properties.
             * @param [properties] Properties to set
             * @returns MeetingPoint instance
             */
            static create(properties: baton.v1.MeetingPoint.$Shape): baton.v1.MeetingPoint & baton.v1.MeetingPoint.$Shape;
            static create(properties?: baton.v1.MeetingPoint.$Properties): baton.v1.MeetingPoint;

            /**
             * Encodes the specified MeetingPoint message. Does not implicitly {@link baton.v1.MeetingPoint.verify|verify} messages.
             * @param message MeetingPoint message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: baton.v1.MeetingPoint.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a MeetingPoint message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {baton.v1.MeetingPoint & baton.v1.MeetingPoint.$Shape} MeetingPoint
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): baton.v1.MeetingPoint & baton.v1.MeetingPoint.$Shape;
        }

        namespace MeetingPoint {

            /** Properties of a MeetingPoint. */
            interface $Properties {

                /** MeetingPoint host */
                host?: (string|null);

                /** MeetingPoint port */
                port?: (number|null);

                /** MeetingPoint engineIds */
                engineIds?: (string[]|null);

                /** MeetingPoint tensorRanks */
                tensorRanks?: (number|null);

                /** MeetingPoint pipelineRanks */
                pipelineRanks?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a MeetingPoint. */
            type $Shape = baton.v1.MeetingPoint.$Properties;
        }

        /**
         * Properties of an Adapter.
         * @deprecated Use baton.v1.Adapter.$Properties instead.
         */
        interface IAdapter extends baton.v1.Adapter.$Properties {
        }

        /** Represents an Adapter. */
        class Adapter {

            /**
             * Constructs a new Adapter.
             * @param [properties] Properties to set
             */
            constructor(properties?: baton.v1.Adapter.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** Adapter name. */
            name: string;

            /** Adapter revision. */
            revision: string;

            /**
             * Creates a new Adapter instance using the specified properties.
             * @param [properties] Properties to set
             * @returns Adapter instance
             */
            static create(properties: baton.v1.Adapter.$Shape): baton.v1.Adapter & baton.v1.Adapter.$Shape;
            static create(properties?: baton.v1.Adapter.$Properties): baton.v1.Adapter;

            /**
             * Encodes the specified Adapter message. Does not implicitly {@link baton.v1.Adapter.verify|verify} messages.
             * @param message Adapter message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: baton.v1.Adapter.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an Adapter message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {baton.v1.Adapter & baton.v1.Adapter.$Shape} Adapter
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): baton.v1.Adapter & baton.v1.Adapter.$Shape;
        }

        namespace Adapter {

            /** Properties of an Adapter. */
            interface $Properties {

                /** Adapter name */
                name?: (string|null);

                /** Adapter revision */
                revision?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of an Adapter. */
            type $Shape = baton.v1.Adapter.$Properties;
        }

        /**
         * Properties of a Capabilities.
         * @deprecated Use baton.v1.Capabilities.$Properties instead.
         */
        interface ICapabilities extends baton.v1.Capabilities.$Properties {
        }

        /** Represents a Capabilities. */
        class Capabilities {

            /**
             * Constructs a new Capabilities.
             * @param [properties] Properties to set
             */
            constructor(properties?: baton.v1.Capabilities.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** Capabilities pullPrefix. */
            pullPrefix: boolean;

            /** Capabilities exportPrefix. */
            exportPrefix: boolean;

            /** Capabilities overlapHandover. */
            overlapHandover: boolean;

            /** Capabilities firstTokenFromPrefill. */
            firstTokenFromPrefill: boolean;

            /** Capabilities takeSalt. */
            takeSalt: boolean;

            /** Capabilities takeTokens. */
            takeTokens: boolean;

            /** Capabilities release. */
            release: boolean;

            /** Capabilities migrate. */
            migrate: boolean;

            /** Capabilities callTools. */
            callTools: boolean;

            /**
             * Creates a new Capabilities instance using the specified properties.
             * @param [properties] Properties to set
             * @returns Capabilities instance
             */
            static create(properties: baton.v1.Capabilities.$Shape): baton.v1.Capabilities & baton.v1.Capabilities.$Shape;
            static create(properties?: baton.v1.Capabilities.$Properties): baton.v1.Capabilities;

            /**
             * Encodes the specified Capabilities message. Does not implicitly {@link baton.v1.Capabilities.verify|verify} messages.
             * @param message Capabilities message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: baton.v1.Capabilities.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a Capabilities message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {baton.v1.Capabilities & baton.v1.Capabilities.$Shape} Capabilities
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): baton.v1.Capabilities & baton.v1.Capabilities.$Shape;
        }

        namespace Capabilities {

            /** Properties of a Capabilities. */
            interface $Properties {

                /** Capabilities pullPrefix */
                pullPrefix?: (boolean|null);

                /** Capabilities exportPrefix */
                exportPrefix?: (boolean|null);

                /** Capabilities overlapHandover */
                overlapHandover?: (boolean|null);

                /** Capabilities firstTokenFromPrefill */
                firstTokenFromPrefill?: (boolean|null);

                /** Capabilities takeSalt */
                takeSalt?: (boolean|null);

                /** Capabilities takeTokens */
                takeTokens?: (boolean|null);

                /** Capabilities release */
                release?: (boolean|null);

                /** Capabilities migrate */
                migrate?: (boolean|null);

                /** Capabilities callTools */
                callTools?: (boolean|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a Capabilities. */
            type $Shape = baton.v1.Capabilities.$Properties;
        }

        /**
         * Properties of a Worker.
         * @deprecated Use baton.v1.Worker.$Properties instead.
         */
        interface IWorker extends baton.v1.Worker.$Properties {
        }

        /** Represents a Worker. */
        class Worker {

            /**
             * Constructs a new Worker.
             * @param [properties] Properties to set
             */
            constructor(properties?: baton.v1.Worker.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** Worker workerId. */
            workerId: string;

            /** Worker role. */
            role: baton.v1.Role;

            /** Worker model. */
            model: string;

            /** Worker engine. */
            engine: string;

            /** Worker engineUrl. */
            engineUrl: string;

            /** Worker transferAddress. */
            transferAddress: string;

            /** Worker layout. */
            layout?: (baton.v1.KvLayout.$Properties|null);

            /** Worker tokenization. */
            tokenization: string;

            /** Worker segmentTokens. */
            segmentTokens: number;

            /** Worker maxModelTokens. */
            maxModelTokens: number;

            /** Worker kvCapacityBlocks. */
            kvCapacityBlocks: number;

            /** Worker maxSequences. */
            maxSequences: number;

            /** Worker capabilities. */
            capabilities?: (baton.v1.Capabilities.$Properties|null);

            /** Worker dramCapacitySegments. */
            dramCapacitySegments: number;

            /** Worker hybrid. */
            hybrid: boolean;

            /** Worker meetingPoint. */
            meetingPoint?: (baton.v1.MeetingPoint.$Properties|null);

            /** Worker pairOnly. */
            pairOnly: boolean;

            /**
             * Creates a new Worker instance using the specified properties.
             * @param [properties] Properties to set
             * @returns Worker instance
             */
            static create(properties: baton.v1.Worker.$Shape): baton.v1.Worker & baton.v1.Worker.$Shape;
            static create(properties?: baton.v1.Worker.$Properties): baton.v1.Worker;

            /**
             * Encodes the specified Worker message. Does not implicitly {@link baton.v1.Worker.verify|verify} messages.
             * @param message Worker message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: baton.v1.Worker.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a Worker message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {baton.v1.Worker & baton.v1.Worker.$Shape} Worker
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): baton.v1.Worker & baton.v1.Worker.$Shape;
        }

        namespace Worker {

            /** Properties of a Worker. */
            interface $Properties {

                /** Worker workerId */
                workerId?: (string|null);

                /** Worker role */
                role?: (baton.v1.Role|null);

                /** Worker model */
                model?: (string|null);

                /** Worker engine */
                engine?: (string|null);

                /** Worker engineUrl */
                engineUrl?: (string|null);

                /** Worker transferAddress */
                transferAddress?: (string|null);

                /** Worker layout */
                layout?: (baton.v1.KvLayout.$Properties|null);

                /** Worker tokenization */
                tokenization?: (string|null);

                /** Worker segmentTokens */
                segmentTokens?: (number|null);

                /** Worker maxModelTokens */
                maxModelTokens?: (number|null);

                /** Worker kvCapacityBlocks */
                kvCapacityBlocks?: (number|null);

                /** Worker maxSequences */
                maxSequences?: (number|null);

                /** Worker capabilities */
                capabilities?: (baton.v1.Capabilities.$Properties|null);

                /** Worker dramCapacitySegments */
                dramCapacitySegments?: (number|null);

                /** Worker hybrid */
                hybrid?: (boolean|null);

                /** Worker meetingPoint */
                meetingPoint?: (baton.v1.MeetingPoint.$Properties|null);

                /** Worker pairOnly */
                pairOnly?: (boolean|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a Worker. */
            type $Shape = baton.v1.Worker.$Properties;
        }

        /** WorkerState enum. */
        enum WorkerState {

            /** WORKER_STATE_UNSPECIFIED value */
            WORKER_STATE_UNSPECIFIED = 0,

            /** WORKER_STATE_STARTING value */
            WORKER_STATE_STARTING = 1,

            /** WORKER_STATE_READY value */
            WORKER_STATE_READY = 2,

            /** WORKER_STATE_DRAINING value */
            WORKER_STATE_DRAINING = 3,

            /** WORKER_STATE_LEAVING value */
            WORKER_STATE_LEAVING = 4
        }

        /**
         * Properties of a Load.
         * @deprecated Use baton.v1.Load.$Properties instead.
         */
        interface ILoad extends baton.v1.Load.$Properties {
        }

        /** Represents a Load. */
        class Load {

            /**
             * Constructs a new Load.
             * @param [properties] Properties to set
             */
            constructor(properties?: baton.v1.Load.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** Load rank. */
            rank: number;

            /** Load runningSequences. */
            runningSequences: number;

            /** Load waitingSequences. */
            waitingSequences: number;

            /** Load pendingPrefillTokens. */
            pendingPrefillTokens: number;

            /** Load kvUsedBlocks. */
            kvUsedBlocks: number;

            /** Load prefillTokensPerSec. */
            prefillTokensPerSec: number;

            /** Load decodeTokensPerSec. */
            decodeTokensPerSec: number;

            /** Load report. */
            report: number;

            /** Load dramBytesPerSec. */
            dramBytesPerSec: number;

            /** Load ssdBytesPerSec. */
            ssdBytesPerSec: number;

            /**
             * Creates a new Load instance using the specified properties.
             * @param [properties] Properties to set
             * @returns Load instance
             */
            static create(properties: baton.v1.Load.$Shape): baton.v1.Load & baton.v1.Load.$Shape;
            static create(properties?: baton.v1.Load.$Properties): baton.v1.Load;

            /**
             * Encodes the specified Load message. Does not implicitly {@link baton.v1.Load.verify|verify} messages.
             * @param message Load message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: baton.v1.Load.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a Load message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {baton.v1.Load & baton.v1.Load.$Shape} Load
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): baton.v1.Load & baton.v1.Load.$Shape;
        }

        namespace Load {

            /** Properties of a Load. */
            interface $Properties {

                /** Load rank */
                rank?: (number|null);

                /** Load runningSequences */
                runningSequences?: (number|null);

                /** Load waitingSequences */
                waitingSequences?: (number|null);

                /** Load pendingPrefillTokens */
                pendingPrefillTokens?: (number|null);

                /** Load kvUsedBlocks */
                kvUsedBlocks?: (number|null);

                /** Load prefillTokensPerSec */
                prefillTokensPerSec?: (number|null);

                /** Load decodeTokensPerSec */
                decodeTokensPerSec?: (number|null);

                /** Load report */
                report?: (number|null);

                /** Load dramBytesPerSec */
                dramBytesPerSec?: (number|null);

                /** Load ssdBytesPerSec */
                ssdBytesPerSec?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a Load. */
            type $Shape = baton.v1.Load.$Properties;
        }

        /**
         * Properties of a TierState.
         * @deprecated Use baton.v1.TierState.$Properties instead.
         */
        interface ITierState extends baton.v1.TierState.$Properties {
        }

        /** Represents a TierState. */
        class TierState {

            /**
             * Constructs a new TierState.
             * @param [properties] Properties to set
             */
            constructor(properties?: baton.v1.TierState.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** TierState tier. */
            tier: baton.v1.Tier;

            /** TierState rank. */
            rank: number;

            /** TierState segments. */
            segments: number;

            /** TierState capacitySegments. */
            capacitySegments: number;

            /** TierState xor. */
            xor: Uint8Array;

            /** TierState resumePoints. */
            resumePoints: boolean;

            /**
             * Creates a new TierState instance using the specified properties.
             * @param [properties] Properties to set
             * @returns TierState instance
             */
            static create(properties: baton.v1.TierState.$Shape): baton.v1.TierState & baton.v1.TierState.$Shape;
            static create(properties?: baton.v1.TierState.$Properties): baton.v1.TierState;

            /**
             * Encodes the specified TierState message. Does not implicitly {@link baton.v1.TierState.verify|verify} messages.
             * @param message TierState message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: baton.v1.TierState.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a TierState message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {baton.v1.TierState & baton.v1.TierState.$Shape} TierState
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): baton.v1.TierState & baton.v1.TierState.$Shape;
        }

        namespace TierState {

            /** Properties of a TierState. */
            interface $Properties {

                /** TierState tier */
                tier?: (baton.v1.Tier|null);

                /** TierState rank */
                rank?: (number|null);

                /** TierState segments */
                segments?: (number|null);

                /** TierState capacitySegments */
                capacitySegments?: (number|null);

                /** TierState xor */
                xor?: (Uint8Array|null);

                /** TierState resumePoints */
                resumePoints?: (boolean|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a TierState. */
            type $Shape = baton.v1.TierState.$Properties;
        }

        /**
         * Properties of an AgentCounters.
         * @deprecated Use baton.v1.AgentCounters.$Properties instead.
         */
        interface IAgentCounters extends baton.v1.AgentCounters.$Properties {
        }

        /** Represents an AgentCounters. */
        class AgentCounters {

            /**
             * Constructs a new AgentCounters.
             * @param [properties] Properties to set
             */
            constructor(properties?: baton.v1.AgentCounters.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** AgentCounters pullsStarted. */
            pullsStarted: number;

            /** AgentCounters pullsCompleted. */
            pullsCompleted: number;

            /** AgentCounters pullsFailed. */
            pullsFailed: number;

            /** AgentCounters pullsActive. */
            pullsActive: number;

            /** AgentCounters segmentsIn. */
            segmentsIn: number;

            /** AgentCounters segmentsOut. */
            segmentsOut: number;

            /** AgentCounters bytesIn. */
            bytesIn: number;

            /** AgentCounters bytesOut. */
            bytesOut: number;

            /** AgentCounters checksumFailures. */
            checksumFailures: number;

            /** AgentCounters stalls. */
            stalls: number;

            /** AgentCounters cuts. */
            cuts: number;

            /** AgentCounters tokensReused. */
            tokensReused: number;

            /** AgentCounters tokensTransferred. */
            tokensTransferred: number;

            /** AgentCounters tokensComputed. */
            tokensComputed: number;

            /** AgentCounters handoversReceived. */
            handoversReceived: number;

            /** AgentCounters handoversFailed. */
            handoversFailed: number;

            /** AgentCounters pinnedPages. */
            pinnedPages: number;

            /** AgentCounters leases. */
            leases: number;

            /** AgentCounters eventGaps. */
            eventGaps: number;

            /** AgentCounters eventDecodeFailures. */
            eventDecodeFailures: number;

            /** AgentCounters replayedBatches. */
            replayedBatches: number;

            /** AgentCounters eventResets. */
            eventResets: number;

            /** AgentCounters unresolvedBlocks. */
            unresolvedBlocks: number;

            /** AgentCounters eventMismatches. */
            eventMismatches: number;

            /** AgentCounters malformedEvents. */
            malformedEvents: number;

            /** AgentCounters ignoredBlocks. */
            ignoredBlocks: number;

            /** AgentCounters refusedBlocks. */
            refusedBlocks: number;

            /** AgentCounters otherBlockSizes. */
            otherBlockSizes: number;

            /** AgentCounters engineRestarts. */
            engineRestarts: number;

            /** AgentCounters hybridRefusedRanks. */
            hybridRefusedRanks: number;

            /** AgentCounters journalFailures. */
            journalFailures: number;

            /** AgentCounters engineCacheResets. */
            engineCacheResets: number;

            /** AgentCounters engineCacheResetFailures. */
            engineCacheResetFailures: number;

            /**
             * Creates a new AgentCounters instance using the specified properties.
             * @param [properties] Properties to set
             * @returns AgentCounters instance
             */
            static create(properties: baton.v1.AgentCounters.$Shape): baton.v1.AgentCounters & baton.v1.AgentCounters.$Shape;
            static create(properties?: baton.v1.AgentCounters.$Properties): baton.v1.AgentCounters;

            /**
             * Encodes the specified AgentCounters message. Does not implicitly {@link baton.v1.AgentCounters.verify|verify} messages.
             * @param message AgentCounters message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: baton.v1.AgentCounters.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an AgentCounters message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {baton.v1.AgentCounters & baton.v1.AgentCounters.$Shape} AgentCounters
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): baton.v1.AgentCounters & baton.v1.AgentCounters.$Shape;
        }

        namespace AgentCounters {

            /** Properties of an AgentCounters. */
            interface $Properties {

                /** AgentCounters pullsStarted */
                pullsStarted?: (number|null);

                /** AgentCounters pullsCompleted */
                pullsCompleted?: (number|null);

                /** AgentCounters pullsFailed */
                pullsFailed?: (number|null);

                /** AgentCounters pullsActive */
                pullsActive?: (number|null);

                /** AgentCounters segmentsIn */
                segmentsIn?: (number|null);

                /** AgentCounters segmentsOut */
                segmentsOut?: (number|null);

                /** AgentCounters bytesIn */
                bytesIn?: (number|null);

                /** AgentCounters bytesOut */
                bytesOut?: (number|null);

                /** AgentCounters checksumFailures */
                checksumFailures?: (number|null);

                /** AgentCounters stalls */
                stalls?: (number|null);

                /** AgentCounters cuts */
                cuts?: (number|null);

                /** AgentCounters tokensReused */
                tokensReused?: (number|null);

                /** AgentCounters tokensTransferred */
                tokensTransferred?: (number|null);

                /** AgentCounters tokensComputed */
                tokensComputed?: (number|null);

                /** AgentCounters handoversReceived */
                handoversReceived?: (number|null);

                /** AgentCounters handoversFailed */
                handoversFailed?: (number|null);

                /** AgentCounters pinnedPages */
                pinnedPages?: (number|null);

                /** AgentCounters leases */
                leases?: (number|null);

                /** AgentCounters eventGaps */
                eventGaps?: (number|null);

                /** AgentCounters eventDecodeFailures */
                eventDecodeFailures?: (number|null);

                /** AgentCounters replayedBatches */
                replayedBatches?: (number|null);

                /** AgentCounters eventResets */
                eventResets?: (number|null);

                /** AgentCounters unresolvedBlocks */
                unresolvedBlocks?: (number|null);

                /** AgentCounters eventMismatches */
                eventMismatches?: (number|null);

                /** AgentCounters malformedEvents */
                malformedEvents?: (number|null);

                /** AgentCounters ignoredBlocks */
                ignoredBlocks?: (number|null);

                /** AgentCounters refusedBlocks */
                refusedBlocks?: (number|null);

                /** AgentCounters otherBlockSizes */
                otherBlockSizes?: (number|null);

                /** AgentCounters engineRestarts */
                engineRestarts?: (number|null);

                /** AgentCounters hybridRefusedRanks */
                hybridRefusedRanks?: (number|null);

                /** AgentCounters journalFailures */
                journalFailures?: (number|null);

                /** AgentCounters engineCacheResets */
                engineCacheResets?: (number|null);

                /** AgentCounters engineCacheResetFailures */
                engineCacheResetFailures?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of an AgentCounters. */
            type $Shape = baton.v1.AgentCounters.$Properties;
        }

        /**
         * Properties of a WorkerBeat.
         * @deprecated Use baton.v1.WorkerBeat.$Properties instead.
         */
        interface IWorkerBeat extends baton.v1.WorkerBeat.$Properties {
        }

        /** Represents a WorkerBeat. */
        class WorkerBeat {

            /**
             * Constructs a new WorkerBeat.
             * @param [properties] Properties to set
             */
            constructor(properties?: baton.v1.WorkerBeat.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** WorkerBeat worker. */
            worker?: (baton.v1.Worker.$Properties|null);

            /** WorkerBeat epoch. */
            epoch?: (baton.v1.Epoch.$Properties|null);

            /** WorkerBeat state. */
            state: baton.v1.WorkerState;

            /** WorkerBeat reason. */
            reason: string;

            /** WorkerBeat lastDeltaSeq. */
            lastDeltaSeq: number;

            /** WorkerBeat loads. */
            loads: baton.v1.Load.$Properties[];

            /** WorkerBeat tiers. */
            tiers: baton.v1.TierState.$Properties[];

            /** WorkerBeat counters. */
            counters?: (baton.v1.AgentCounters.$Properties|null);

            /** WorkerBeat leaseMs. */
            leaseMs: number;

            /** WorkerBeat adapters. */
            adapters?: (baton.v1.WorkerAdapters.$Properties|null);

            /**
             * Creates a new WorkerBeat instance using the specified properties.
             * @param [properties] Properties to set
             * @returns WorkerBeat instance
             */
            static create(properties: baton.v1.WorkerBeat.$Shape): baton.v1.WorkerBeat & baton.v1.WorkerBeat.$Shape;
            static create(properties?: baton.v1.WorkerBeat.$Properties): baton.v1.WorkerBeat;

            /**
             * Encodes the specified WorkerBeat message. Does not implicitly {@link baton.v1.WorkerBeat.verify|verify} messages.
             * @param message WorkerBeat message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: baton.v1.WorkerBeat.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a WorkerBeat message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {baton.v1.WorkerBeat & baton.v1.WorkerBeat.$Shape} WorkerBeat
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): baton.v1.WorkerBeat & baton.v1.WorkerBeat.$Shape;
        }

        namespace WorkerBeat {

            /** Properties of a WorkerBeat. */
            interface $Properties {

                /** WorkerBeat worker */
                worker?: (baton.v1.Worker.$Properties|null);

                /** WorkerBeat epoch */
                epoch?: (baton.v1.Epoch.$Properties|null);

                /** WorkerBeat state */
                state?: (baton.v1.WorkerState|null);

                /** WorkerBeat reason */
                reason?: (string|null);

                /** WorkerBeat lastDeltaSeq */
                lastDeltaSeq?: (number|null);

                /** WorkerBeat loads */
                loads?: (baton.v1.Load.$Properties[]|null);

                /** WorkerBeat tiers */
                tiers?: (baton.v1.TierState.$Properties[]|null);

                /** WorkerBeat counters */
                counters?: (baton.v1.AgentCounters.$Properties|null);

                /** WorkerBeat leaseMs */
                leaseMs?: (number|null);

                /** WorkerBeat adapters */
                adapters?: (baton.v1.WorkerAdapters.$Properties|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a WorkerBeat. */
            type $Shape = baton.v1.WorkerBeat.$Properties;
        }

        /**
         * Properties of a WorkerAdapters.
         * @deprecated Use baton.v1.WorkerAdapters.$Properties instead.
         */
        interface IWorkerAdapters extends baton.v1.WorkerAdapters.$Properties {
        }

        /** Represents a WorkerAdapters. */
        class WorkerAdapters {

            /**
             * Constructs a new WorkerAdapters.
             * @param [properties] Properties to set
             */
            constructor(properties?: baton.v1.WorkerAdapters.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** WorkerAdapters held. */
            held: baton.v1.Adapter.$Properties[];

            /** WorkerAdapters slots. */
            slots: number;

            /** WorkerAdapters used. */
            used: string[];

            /**
             * Creates a new WorkerAdapters instance using the specified properties.
             * @param [properties] Properties to set
             * @returns WorkerAdapters instance
             */
            static create(properties: baton.v1.WorkerAdapters.$Shape): baton.v1.WorkerAdapters & baton.v1.WorkerAdapters.$Shape;
            static create(properties?: baton.v1.WorkerAdapters.$Properties): baton.v1.WorkerAdapters;

            /**
             * Encodes the specified WorkerAdapters message. Does not implicitly {@link baton.v1.WorkerAdapters.verify|verify} messages.
             * @param message WorkerAdapters message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: baton.v1.WorkerAdapters.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a WorkerAdapters message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {baton.v1.WorkerAdapters & baton.v1.WorkerAdapters.$Shape} WorkerAdapters
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): baton.v1.WorkerAdapters & baton.v1.WorkerAdapters.$Shape;
        }

        namespace WorkerAdapters {

            /** Properties of a WorkerAdapters. */
            interface $Properties {

                /** WorkerAdapters held */
                held?: (baton.v1.Adapter.$Properties[]|null);

                /** WorkerAdapters slots */
                slots?: (number|null);

                /** WorkerAdapters used */
                used?: (string[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a WorkerAdapters. */
            type $Shape = baton.v1.WorkerAdapters.$Properties;
        }

        /** KvOpKind enum. */
        enum KvOpKind {

            /** KV_OP_KIND_UNSPECIFIED value */
            KV_OP_KIND_UNSPECIFIED = 0,

            /** KV_OP_KIND_STORE value */
            KV_OP_KIND_STORE = 1,

            /** KV_OP_KIND_REMOVE value */
            KV_OP_KIND_REMOVE = 2,

            /** KV_OP_KIND_CLEAR value */
            KV_OP_KIND_CLEAR = 3
        }

        /**
         * Properties of a KvOp.
         * @deprecated Use baton.v1.KvOp.$Properties instead.
         */
        interface IKvOp extends baton.v1.KvOp.$Properties {
        }

        /** Represents a KvOp. */
        class KvOp {

            /**
             * Constructs a new KvOp.
             * @param [properties] Properties to set
             */
            constructor(properties?: baton.v1.KvOp.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** KvOp kind. */
            kind: baton.v1.KvOpKind;

            /** KvOp tier. */
            tier: baton.v1.Tier;

            /** KvOp rank. */
            rank: number;

            /** KvOp keys. */
            keys: Uint8Array;

            /** KvOp resumePoints. */
            resumePoints: boolean;

            /**
             * Creates a new KvOp instance using the specified properties.
             * @param [properties] Properties to set
             * @returns KvOp instance
             */
            static create(properties: baton.v1.KvOp.$Shape): baton.v1.KvOp & baton.v1.KvOp.$Shape;
            static create(properties?: baton.v1.KvOp.$Properties): baton.v1.KvOp;

            /**
             * Encodes the specified KvOp message. Does not implicitly {@link baton.v1.KvOp.verify|verify} messages.
             * @param message KvOp message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: baton.v1.KvOp.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a KvOp message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {baton.v1.KvOp & baton.v1.KvOp.$Shape} KvOp
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): baton.v1.KvOp & baton.v1.KvOp.$Shape;
        }

        namespace KvOp {

            /** Properties of a KvOp. */
            interface $Properties {

                /** KvOp kind */
                kind?: (baton.v1.KvOpKind|null);

                /** KvOp tier */
                tier?: (baton.v1.Tier|null);

                /** KvOp rank */
                rank?: (number|null);

                /** KvOp keys */
                keys?: (Uint8Array|null);

                /** KvOp resumePoints */
                resumePoints?: (boolean|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a KvOp. */
            type $Shape = baton.v1.KvOp.$Properties;
        }

        /**
         * Properties of a KvDelta.
         * @deprecated Use baton.v1.KvDelta.$Properties instead.
         */
        interface IKvDelta extends baton.v1.KvDelta.$Properties {
        }

        /** Represents a KvDelta. */
        class KvDelta {

            /**
             * Constructs a new KvDelta.
             * @param [properties] Properties to set
             */
            constructor(properties?: baton.v1.KvDelta.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** KvDelta workerId. */
            workerId: string;

            /** KvDelta epoch. */
            epoch?: (baton.v1.Epoch.$Properties|null);

            /** KvDelta seq. */
            seq: number;

            /** KvDelta ops. */
            ops: baton.v1.KvOp.$Properties[];

            /**
             * Creates a new KvDelta instance using the specified properties.
             * @param [properties] Properties to set
             * @returns KvDelta instance
             */
            static create(properties: baton.v1.KvDelta.$Shape): baton.v1.KvDelta & baton.v1.KvDelta.$Shape;
            static create(properties?: baton.v1.KvDelta.$Properties): baton.v1.KvDelta;

            /**
             * Encodes the specified KvDelta message. Does not implicitly {@link baton.v1.KvDelta.verify|verify} messages.
             * @param message KvDelta message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: baton.v1.KvDelta.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a KvDelta message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {baton.v1.KvDelta & baton.v1.KvDelta.$Shape} KvDelta
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): baton.v1.KvDelta & baton.v1.KvDelta.$Shape;
        }

        namespace KvDelta {

            /** Properties of a KvDelta. */
            interface $Properties {

                /** KvDelta workerId */
                workerId?: (string|null);

                /** KvDelta epoch */
                epoch?: (baton.v1.Epoch.$Properties|null);

                /** KvDelta seq */
                seq?: (number|null);

                /** KvDelta ops */
                ops?: (baton.v1.KvOp.$Properties[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a KvDelta. */
            type $Shape = baton.v1.KvDelta.$Properties;
        }

        /**
         * Properties of a SnapshotRequest.
         * @deprecated Use baton.v1.SnapshotRequest.$Properties instead.
         */
        interface ISnapshotRequest extends baton.v1.SnapshotRequest.$Properties {
        }

        /** Represents a SnapshotRequest. */
        class SnapshotRequest {

            /**
             * Constructs a new SnapshotRequest.
             * @param [properties] Properties to set
             */
            constructor(properties?: baton.v1.SnapshotRequest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** SnapshotRequest snapshotId. */
            snapshotId: number;

            /**
             * Creates a new SnapshotRequest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns SnapshotRequest instance
             */
            static create(properties: baton.v1.SnapshotRequest.$Shape): baton.v1.SnapshotRequest & baton.v1.SnapshotRequest.$Shape;
            static create(properties?: baton.v1.SnapshotRequest.$Properties): baton.v1.SnapshotRequest;

            /**
             * Encodes the specified SnapshotRequest message. Does not implicitly {@link baton.v1.SnapshotRequest.verify|verify} messages.
             * @param message SnapshotRequest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: baton.v1.SnapshotRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a SnapshotRequest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {baton.v1.SnapshotRequest & baton.v1.SnapshotRequest.$Shape} SnapshotRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): baton.v1.SnapshotRequest & baton.v1.SnapshotRequest.$Shape;
        }

        namespace SnapshotRequest {

            /** Properties of a SnapshotRequest. */
            interface $Properties {

                /** SnapshotRequest snapshotId */
                snapshotId?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a SnapshotRequest. */
            type $Shape = baton.v1.SnapshotRequest.$Properties;
        }

        /**
         * Properties of a SnapshotChunk.
         * @deprecated Use baton.v1.SnapshotChunk.$Properties instead.
         */
        interface ISnapshotChunk extends baton.v1.SnapshotChunk.$Properties {
        }

        /** Represents a SnapshotChunk. */
        class SnapshotChunk {

            /**
             * Constructs a new SnapshotChunk.
             * @param [properties] Properties to set
             */
            constructor(properties?: baton.v1.SnapshotChunk.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** SnapshotChunk workerId. */
            workerId: string;

            /** SnapshotChunk epoch. */
            epoch?: (baton.v1.Epoch.$Properties|null);

            /** SnapshotChunk snapshotId. */
            snapshotId: number;

            /** SnapshotChunk index. */
            index: number;

            /** SnapshotChunk count. */
            count: number;

            /** SnapshotChunk seq. */
            seq: number;

            /** SnapshotChunk ops. */
            ops: baton.v1.KvOp.$Properties[];

            /**
             * Creates a new SnapshotChunk instance using the specified properties.
             * @param [properties] Properties to set
             * @returns SnapshotChunk instance
             */
            static create(properties: baton.v1.SnapshotChunk.$Shape): baton.v1.SnapshotChunk & baton.v1.SnapshotChunk.$Shape;
            static create(properties?: baton.v1.SnapshotChunk.$Properties): baton.v1.SnapshotChunk;

            /**
             * Encodes the specified SnapshotChunk message. Does not implicitly {@link baton.v1.SnapshotChunk.verify|verify} messages.
             * @param message SnapshotChunk message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: baton.v1.SnapshotChunk.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a SnapshotChunk message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {baton.v1.SnapshotChunk & baton.v1.SnapshotChunk.$Shape} SnapshotChunk
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): baton.v1.SnapshotChunk & baton.v1.SnapshotChunk.$Shape;
        }

        namespace SnapshotChunk {

            /** Properties of a SnapshotChunk. */
            interface $Properties {

                /** SnapshotChunk workerId */
                workerId?: (string|null);

                /** SnapshotChunk epoch */
                epoch?: (baton.v1.Epoch.$Properties|null);

                /** SnapshotChunk snapshotId */
                snapshotId?: (number|null);

                /** SnapshotChunk index */
                index?: (number|null);

                /** SnapshotChunk count */
                count?: (number|null);

                /** SnapshotChunk seq */
                seq?: (number|null);

                /** SnapshotChunk ops */
                ops?: (baton.v1.KvOp.$Properties[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a SnapshotChunk. */
            type $Shape = baton.v1.SnapshotChunk.$Properties;
        }

        /**
         * Properties of an EngineMessage.
         * @deprecated Use baton.v1.EngineMessage.$Properties instead.
         */
        interface IEngineMessage extends baton.v1.EngineMessage.$Properties {
        }

        /** Represents an EngineMessage. */
        class EngineMessage {

            /**
             * Constructs a new EngineMessage.
             * @param [properties] Properties to set
             */
            constructor(properties?: baton.v1.EngineMessage.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** EngineMessage hello. */
            hello?: (baton.v1.EngineHello.$Properties|null);

            /** EngineMessage load. */
            load?: (baton.v1.LoadReport.$Properties|null);

            /** EngineMessage loadSegments. */
            loadSegments?: (baton.v1.LoadRequest.$Properties|null);

            /** EngineMessage release. */
            release?: (baton.v1.ReleasePages.$Properties|null);

            /** EngineMessage reserve. */
            reserve?: (baton.v1.ReserveRequest.$Properties|null);

            /** EngineMessage commit. */
            commit?: (baton.v1.CommitSegment.$Properties|null);

            /** EngineMessage handoverReady. */
            handoverReady?: (baton.v1.HandoverReady.$Properties|null);

            /** EngineMessage ended. */
            ended?: (baton.v1.RequestEnded.$Properties|null);

            /** EngineMessage exportReply. */
            exportReply?: (baton.v1.ExportReply.$Properties|null);

            /** EngineMessage damaged. */
            damaged?: (baton.v1.DamagedPage.$Properties|null);

            /** EngineMessage message. */
            message?: ("hello"|"load"|"loadSegments"|"release"|"reserve"|"commit"|"handoverReady"|"ended"|"exportReply"|"damaged");

            /**
             * Creates a new EngineMessage instance using the specified properties.
             * @param [properties] Properties to set
             * @returns EngineMessage instance
             */
            static create(properties: baton.v1.EngineMessage.$Shape): baton.v1.EngineMessage & baton.v1.EngineMessage.$Shape;
            static create(properties?: baton.v1.EngineMessage.$Properties): baton.v1.EngineMessage;

            /**
             * Encodes the specified EngineMessage message. Does not implicitly {@link baton.v1.EngineMessage.verify|verify} messages.
             * @param message EngineMessage message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: baton.v1.EngineMessage.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an EngineMessage message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {baton.v1.EngineMessage & baton.v1.EngineMessage.$Shape} EngineMessage
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): baton.v1.EngineMessage & baton.v1.EngineMessage.$Shape;
        }

        namespace EngineMessage {

            /** Properties of an EngineMessage. */
            interface $Properties {

                /** EngineMessage hello */
                hello?: (baton.v1.EngineHello.$Properties|null);

                /** EngineMessage load */
                load?: (baton.v1.LoadReport.$Properties|null);

                /** EngineMessage loadSegments */
                loadSegments?: (baton.v1.LoadRequest.$Properties|null);

                /** EngineMessage release */
                release?: (baton.v1.ReleasePages.$Properties|null);

                /** EngineMessage reserve */
                reserve?: (baton.v1.ReserveRequest.$Properties|null);

                /** EngineMessage commit */
                commit?: (baton.v1.CommitSegment.$Properties|null);

                /** EngineMessage handoverReady */
                handoverReady?: (baton.v1.HandoverReady.$Properties|null);

                /** EngineMessage ended */
                ended?: (baton.v1.RequestEnded.$Properties|null);

                /** EngineMessage exportReply */
                exportReply?: (baton.v1.ExportReply.$Properties|null);

                /** EngineMessage damaged */
                damaged?: (baton.v1.DamagedPage.$Properties|null);

                /** EngineMessage message */
                message?: ("hello"|"load"|"loadSegments"|"release"|"reserve"|"commit"|"handoverReady"|"ended"|"exportReply"|"damaged");

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Narrowed shape of an EngineMessage. */
            type $Shape = {
              hello?: baton.v1.EngineHello.$Shape|null;
              load?: baton.v1.LoadReport.$Shape|null;
              loadSegments?: baton.v1.LoadRequest.$Shape|null;
              release?: baton.v1.ReleasePages.$Shape|null;
              reserve?: baton.v1.ReserveRequest.$Shape|null;
              commit?: baton.v1.CommitSegment.$Shape|null;
              handoverReady?: baton.v1.HandoverReady.$Shape|null;
              ended?: baton.v1.RequestEnded.$Shape|null;
              exportReply?: baton.v1.ExportReply.$Shape|null;
              damaged?: baton.v1.DamagedPage.$Shape|null;
              $unknowns?: Uint8Array[];
            } & (
              ({ message?: undefined; hello?: null; load?: null; loadSegments?: null; release?: null; reserve?: null; commit?: null; handoverReady?: null; ended?: null; exportReply?: null; damaged?: null }|{ message?: "hello"; hello: baton.v1.EngineHello.$Shape; load?: null; loadSegments?: null; release?: null; reserve?: null; commit?: null; handoverReady?: null; ended?: null; exportReply?: null; damaged?: null }|{ message?: "load"; hello?: null; load: baton.v1.LoadReport.$Shape; loadSegments?: null; release?: null; reserve?: null; commit?: null; handoverReady?: null; ended?: null; exportReply?: null; damaged?: null }|{ message?: "loadSegments"; hello?: null; load?: null; loadSegments: baton.v1.LoadRequest.$Shape; release?: null; reserve?: null; commit?: null; handoverReady?: null; ended?: null; exportReply?: null; damaged?: null }|{ message?: "release"; hello?: null; load?: null; loadSegments?: null; release: baton.v1.ReleasePages.$Shape; reserve?: null; commit?: null; handoverReady?: null; ended?: null; exportReply?: null; damaged?: null }|{ message?: "reserve"; hello?: null; load?: null; loadSegments?: null; release?: null; reserve: baton.v1.ReserveRequest.$Shape; commit?: null; handoverReady?: null; ended?: null; exportReply?: null; damaged?: null }|{ message?: "commit"; hello?: null; load?: null; loadSegments?: null; release?: null; reserve?: null; commit: baton.v1.CommitSegment.$Shape; handoverReady?: null; ended?: null; exportReply?: null; damaged?: null }|{ message?: "handoverReady"; hello?: null; load?: null; loadSegments?: null; release?: null; reserve?: null; commit?: null; handoverReady: baton.v1.HandoverReady.$Shape; ended?: null; exportReply?: null; damaged?: null }|{ message?: "ended"; hello?: null; load?: null; loadSegments?: null; release?: null; reserve?: null; commit?: null; handoverReady?: null; ended: baton.v1.RequestEnded.$Shape; exportReply?: null; damaged?: null }|{ message?: "exportReply"; hello?: null; load?: null; loadSegments?: null; release?: null; reserve?: null; commit?: null; handoverReady?: null; ended?: null; exportReply: baton.v1.ExportReply.$Shape; damaged?: null }|{ message?: "damaged"; hello?: null; load?: null; loadSegments?: null; release?: null; reserve?: null; commit?: null; handoverReady?: null; ended?: null; exportReply?: null; damaged: baton.v1.DamagedPage.$Shape })
            );
        }

        /**
         * Properties of an AgentMessage.
         * @deprecated Use baton.v1.AgentMessage.$Properties instead.
         */
        interface IAgentMessage extends baton.v1.AgentMessage.$Properties {
        }

        /** Represents an AgentMessage. */
        class AgentMessage {

            /**
             * Constructs a new AgentMessage.
             * @param [properties] Properties to set
             */
            constructor(properties?: baton.v1.AgentMessage.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** AgentMessage hello. */
            hello?: (baton.v1.AgentHello.$Properties|null);

            /** AgentMessage segment. */
            segment?: (baton.v1.SegmentLoaded.$Properties|null);

            /** AgentMessage loadEnd. */
            loadEnd?: (baton.v1.LoadEnd.$Properties|null);

            /** AgentMessage reserved. */
            reserved?: (baton.v1.ReserveReply.$Properties|null);

            /** AgentMessage export. */
            export?: (baton.v1.ExportRequest.$Properties|null);

            /** AgentMessage refused. */
            refused?: (baton.v1.LinkRefused.$Properties|null);

            /** AgentMessage alive. */
            alive?: (baton.v1.AgentAlive.$Properties|null);

            /** AgentMessage message. */
            message?: ("hello"|"segment"|"loadEnd"|"reserved"|"export"|"refused"|"alive");

            /**
             * Creates a new AgentMessage instance using the specified properties.
             * @param [properties] Properties to set
             * @returns AgentMessage instance
             */
            static create(properties: baton.v1.AgentMessage.$Shape): baton.v1.AgentMessage & baton.v1.AgentMessage.$Shape;
            static create(properties?: baton.v1.AgentMessage.$Properties): baton.v1.AgentMessage;

            /**
             * Encodes the specified AgentMessage message. Does not implicitly {@link baton.v1.AgentMessage.verify|verify} messages.
             * @param message AgentMessage message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: baton.v1.AgentMessage.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an AgentMessage message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {baton.v1.AgentMessage & baton.v1.AgentMessage.$Shape} AgentMessage
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): baton.v1.AgentMessage & baton.v1.AgentMessage.$Shape;
        }

        namespace AgentMessage {

            /** Properties of an AgentMessage. */
            interface $Properties {

                /** AgentMessage hello */
                hello?: (baton.v1.AgentHello.$Properties|null);

                /** AgentMessage segment */
                segment?: (baton.v1.SegmentLoaded.$Properties|null);

                /** AgentMessage loadEnd */
                loadEnd?: (baton.v1.LoadEnd.$Properties|null);

                /** AgentMessage reserved */
                reserved?: (baton.v1.ReserveReply.$Properties|null);

                /** AgentMessage export */
                "export"?: (baton.v1.ExportRequest.$Properties|null);

                /** AgentMessage refused */
                refused?: (baton.v1.LinkRefused.$Properties|null);

                /** AgentMessage alive */
                alive?: (baton.v1.AgentAlive.$Properties|null);

                /** AgentMessage message */
                message?: ("hello"|"segment"|"loadEnd"|"reserved"|"export"|"refused"|"alive");

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Narrowed shape of an AgentMessage. */
            type $Shape = {
              hello?: baton.v1.AgentHello.$Shape|null;
              segment?: baton.v1.SegmentLoaded.$Shape|null;
              loadEnd?: baton.v1.LoadEnd.$Shape|null;
              reserved?: baton.v1.ReserveReply.$Shape|null;
              "export"?: baton.v1.ExportRequest.$Shape|null;
              refused?: baton.v1.LinkRefused.$Shape|null;
              alive?: baton.v1.AgentAlive.$Shape|null;
              $unknowns?: Uint8Array[];
            } & (
              ({ message?: undefined; hello?: null; segment?: null; loadEnd?: null; reserved?: null; "export"?: null; refused?: null; alive?: null }|{ message?: "hello"; hello: baton.v1.AgentHello.$Shape; segment?: null; loadEnd?: null; reserved?: null; "export"?: null; refused?: null; alive?: null }|{ message?: "segment"; hello?: null; segment: baton.v1.SegmentLoaded.$Shape; loadEnd?: null; reserved?: null; "export"?: null; refused?: null; alive?: null }|{ message?: "loadEnd"; hello?: null; segment?: null; loadEnd: baton.v1.LoadEnd.$Shape; reserved?: null; "export"?: null; refused?: null; alive?: null }|{ message?: "reserved"; hello?: null; segment?: null; loadEnd?: null; reserved: baton.v1.ReserveReply.$Shape; "export"?: null; refused?: null; alive?: null }|{ message?: "export"; hello?: null; segment?: null; loadEnd?: null; reserved?: null; "export": baton.v1.ExportRequest.$Shape; refused?: null; alive?: null }|{ message?: "refused"; hello?: null; segment?: null; loadEnd?: null; reserved?: null; "export"?: null; refused: baton.v1.LinkRefused.$Shape; alive?: null }|{ message?: "alive"; hello?: null; segment?: null; loadEnd?: null; reserved?: null; "export"?: null; refused?: null; alive: baton.v1.AgentAlive.$Shape })
            );
        }

        /**
         * Properties of an EngineHello.
         * @deprecated Use baton.v1.EngineHello.$Properties instead.
         */
        interface IEngineHello extends baton.v1.EngineHello.$Properties {
        }

        /** Represents an EngineHello. */
        class EngineHello {

            /**
             * Constructs a new EngineHello.
             * @param [properties] Properties to set
             */
            constructor(properties?: baton.v1.EngineHello.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** EngineHello worker. */
            worker?: (baton.v1.Worker.$Properties|null);

            /** EngineHello eventsEndpoint. */
            eventsEndpoint: string;

            /** EngineHello replayEndpoint. */
            replayEndpoint: string;

            /** EngineHello pageBytes. */
            pageBytes: number;

            /**
             * Creates a new EngineHello instance using the specified properties.
             * @param [properties] Properties to set
             * @returns EngineHello instance
             */
            static create(properties: baton.v1.EngineHello.$Shape): baton.v1.EngineHello & baton.v1.EngineHello.$Shape;
            static create(properties?: baton.v1.EngineHello.$Properties): baton.v1.EngineHello;

            /**
             * Encodes the specified EngineHello message. Does not implicitly {@link baton.v1.EngineHello.verify|verify} messages.
             * @param message EngineHello message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: baton.v1.EngineHello.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an EngineHello message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {baton.v1.EngineHello & baton.v1.EngineHello.$Shape} EngineHello
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): baton.v1.EngineHello & baton.v1.EngineHello.$Shape;
        }

        namespace EngineHello {

            /** Properties of an EngineHello. */
            interface $Properties {

                /** EngineHello worker */
                worker?: (baton.v1.Worker.$Properties|null);

                /** EngineHello eventsEndpoint */
                eventsEndpoint?: (string|null);

                /** EngineHello replayEndpoint */
                replayEndpoint?: (string|null);

                /** EngineHello pageBytes */
                pageBytes?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of an EngineHello. */
            type $Shape = baton.v1.EngineHello.$Properties;
        }

        /**
         * Properties of an AgentHello.
         * @deprecated Use baton.v1.AgentHello.$Properties instead.
         */
        interface IAgentHello extends baton.v1.AgentHello.$Properties {
        }

        /** Represents an AgentHello. */
        class AgentHello {

            /**
             * Constructs a new AgentHello.
             * @param [properties] Properties to set
             */
            constructor(properties?: baton.v1.AgentHello.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** AgentHello workerId. */
            workerId: string;

            /** AgentHello epoch. */
            epoch?: (baton.v1.Epoch.$Properties|null);

            /** AgentHello arenaPath. */
            arenaPath: string;

            /** AgentHello arenaBytes. */
            arenaBytes: number;

            /** AgentHello pageBytes. */
            pageBytes: number;

            /** AgentHello pageCount. */
            pageCount: number;

            /** AgentHello tokenization. */
            tokenization: string;

            /**
             * Creates a new AgentHello instance using the specified properties.
             * @param [properties] Properties to set
             * @returns AgentHello instance
             */
            static create(properties: baton.v1.AgentHello.$Shape): baton.v1.AgentHello & baton.v1.AgentHello.$Shape;
            static create(properties?: baton.v1.AgentHello.$Properties): baton.v1.AgentHello;

            /**
             * Encodes the specified AgentHello message. Does not implicitly {@link baton.v1.AgentHello.verify|verify} messages.
             * @param message AgentHello message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: baton.v1.AgentHello.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an AgentHello message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {baton.v1.AgentHello & baton.v1.AgentHello.$Shape} AgentHello
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): baton.v1.AgentHello & baton.v1.AgentHello.$Shape;
        }

        namespace AgentHello {

            /** Properties of an AgentHello. */
            interface $Properties {

                /** AgentHello workerId */
                workerId?: (string|null);

                /** AgentHello epoch */
                epoch?: (baton.v1.Epoch.$Properties|null);

                /** AgentHello arenaPath */
                arenaPath?: (string|null);

                /** AgentHello arenaBytes */
                arenaBytes?: (number|null);

                /** AgentHello pageBytes */
                pageBytes?: (number|null);

                /** AgentHello pageCount */
                pageCount?: (number|null);

                /** AgentHello tokenization */
                tokenization?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of an AgentHello. */
            type $Shape = baton.v1.AgentHello.$Properties;
        }

        /**
         * Properties of a LinkRefused.
         * @deprecated Use baton.v1.LinkRefused.$Properties instead.
         */
        interface ILinkRefused extends baton.v1.LinkRefused.$Properties {
        }

        /** Represents a LinkRefused. */
        class LinkRefused {

            /**
             * Constructs a new LinkRefused.
             * @param [properties] Properties to set
             */
            constructor(properties?: baton.v1.LinkRefused.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** LinkRefused code. */
            code: string;

            /** LinkRefused message. */
            message: string;

            /**
             * Creates a new LinkRefused instance using the specified properties.
             * @param [properties] Properties to set
             * @returns LinkRefused instance
             */
            static create(properties: baton.v1.LinkRefused.$Shape): baton.v1.LinkRefused & baton.v1.LinkRefused.$Shape;
            static create(properties?: baton.v1.LinkRefused.$Properties): baton.v1.LinkRefused;

            /**
             * Encodes the specified LinkRefused message. Does not implicitly {@link baton.v1.LinkRefused.verify|verify} messages.
             * @param message LinkRefused message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: baton.v1.LinkRefused.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a LinkRefused message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {baton.v1.LinkRefused & baton.v1.LinkRefused.$Shape} LinkRefused
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): baton.v1.LinkRefused & baton.v1.LinkRefused.$Shape;
        }

        namespace LinkRefused {

            /** Properties of a LinkRefused. */
            interface $Properties {

                /** LinkRefused code */
                code?: (string|null);

                /** LinkRefused message */
                message?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a LinkRefused. */
            type $Shape = baton.v1.LinkRefused.$Properties;
        }

        /**
         * Properties of a LoadReport.
         * @deprecated Use baton.v1.LoadReport.$Properties instead.
         */
        interface ILoadReport extends baton.v1.LoadReport.$Properties {
        }

        /** Represents a LoadReport. */
        class LoadReport {

            /**
             * Constructs a new LoadReport.
             * @param [properties] Properties to set
             */
            constructor(properties?: baton.v1.LoadReport.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** LoadReport load. */
            load?: (baton.v1.Load.$Properties|null);

            /**
             * Creates a new LoadReport instance using the specified properties.
             * @param [properties] Properties to set
             * @returns LoadReport instance
             */
            static create(properties: baton.v1.LoadReport.$Shape): baton.v1.LoadReport & baton.v1.LoadReport.$Shape;
            static create(properties?: baton.v1.LoadReport.$Properties): baton.v1.LoadReport;

            /**
             * Encodes the specified LoadReport message. Does not implicitly {@link baton.v1.LoadReport.verify|verify} messages.
             * @param message LoadReport message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: baton.v1.LoadReport.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a LoadReport message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {baton.v1.LoadReport & baton.v1.LoadReport.$Shape} LoadReport
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): baton.v1.LoadReport & baton.v1.LoadReport.$Shape;
        }

        namespace LoadReport {

            /** Properties of a LoadReport. */
            interface $Properties {

                /** LoadReport load */
                load?: (baton.v1.Load.$Properties|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a LoadReport. */
            type $Shape = baton.v1.LoadReport.$Properties;
        }

        /**
         * Properties of an AgentAlive.
         * @deprecated Use baton.v1.AgentAlive.$Properties instead.
         */
        interface IAgentAlive extends baton.v1.AgentAlive.$Properties {
        }

        /** Represents an AgentAlive. */
        class AgentAlive {

            /**
             * Constructs a new AgentAlive.
             * @param [properties] Properties to set
             */
            constructor(properties?: baton.v1.AgentAlive.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /**
             * Creates a new AgentAlive instance using the specified properties.
             * @param [properties] Properties to set
             * @returns AgentAlive instance
             */
            static create(properties: baton.v1.AgentAlive.$Shape): baton.v1.AgentAlive & baton.v1.AgentAlive.$Shape;
            static create(properties?: baton.v1.AgentAlive.$Properties): baton.v1.AgentAlive;

            /**
             * Encodes the specified AgentAlive message. Does not implicitly {@link baton.v1.AgentAlive.verify|verify} messages.
             * @param message AgentAlive message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: baton.v1.AgentAlive.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an AgentAlive message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {baton.v1.AgentAlive & baton.v1.AgentAlive.$Shape} AgentAlive
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): baton.v1.AgentAlive & baton.v1.AgentAlive.$Shape;
        }

        namespace AgentAlive {

            /** Properties of an AgentAlive. */
            interface $Properties {

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of an AgentAlive. */
            type $Shape = baton.v1.AgentAlive.$Properties;
        }

        /**
         * Properties of a LoadRequest.
         * @deprecated Use baton.v1.LoadRequest.$Properties instead.
         */
        interface ILoadRequest extends baton.v1.LoadRequest.$Properties {
        }

        /** Represents a LoadRequest. */
        class LoadRequest {

            /**
             * Constructs a new LoadRequest.
             * @param [properties] Properties to set
             */
            constructor(properties?: baton.v1.LoadRequest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** LoadRequest requestId. */
            requestId: string;

            /** LoadRequest planId. */
            planId: string;

            /** LoadRequest keys. */
            keys: Uint8Array;

            /** LoadRequest firstSegment. */
            firstSegment: number;

            /** LoadRequest handover. */
            handover: boolean;

            /** LoadRequest timeoutMs. */
            timeoutMs: number;

            /** LoadRequest expectedSegments. */
            expectedSegments: number;

            /** LoadRequest traceparent. */
            traceparent: string;

            /**
             * Creates a new LoadRequest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns LoadRequest instance
             */
            static create(properties: baton.v1.LoadRequest.$Shape): baton.v1.LoadRequest & baton.v1.LoadRequest.$Shape;
            static create(properties?: baton.v1.LoadRequest.$Properties): baton.v1.LoadRequest;

            /**
             * Encodes the specified LoadRequest message. Does not implicitly {@link baton.v1.LoadRequest.verify|verify} messages.
             * @param message LoadRequest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: baton.v1.LoadRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a LoadRequest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {baton.v1.LoadRequest & baton.v1.LoadRequest.$Shape} LoadRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): baton.v1.LoadRequest & baton.v1.LoadRequest.$Shape;
        }

        namespace LoadRequest {

            /** Properties of a LoadRequest. */
            interface $Properties {

                /** LoadRequest requestId */
                requestId?: (string|null);

                /** LoadRequest planId */
                planId?: (string|null);

                /** LoadRequest keys */
                keys?: (Uint8Array|null);

                /** LoadRequest firstSegment */
                firstSegment?: (number|null);

                /** LoadRequest handover */
                handover?: (boolean|null);

                /** LoadRequest timeoutMs */
                timeoutMs?: (number|null);

                /** LoadRequest expectedSegments */
                expectedSegments?: (number|null);

                /** LoadRequest traceparent */
                traceparent?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a LoadRequest. */
            type $Shape = baton.v1.LoadRequest.$Properties;
        }

        /**
         * Properties of a SegmentLoaded.
         * @deprecated Use baton.v1.SegmentLoaded.$Properties instead.
         */
        interface ISegmentLoaded extends baton.v1.SegmentLoaded.$Properties {
        }

        /** Represents a SegmentLoaded. */
        class SegmentLoaded {

            /**
             * Constructs a new SegmentLoaded.
             * @param [properties] Properties to set
             */
            constructor(properties?: baton.v1.SegmentLoaded.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** SegmentLoaded requestId. */
            requestId: string;

            /** SegmentLoaded index. */
            index: number;

            /** SegmentLoaded page. */
            page: number;

            /** SegmentLoaded bytes. */
            bytes: number;

            /** SegmentLoaded transferred. */
            transferred: boolean;

            /** SegmentLoaded checksum. */
            checksum: number;

            /**
             * Creates a new SegmentLoaded instance using the specified properties.
             * @param [properties] Properties to set
             * @returns SegmentLoaded instance
             */
            static create(properties: baton.v1.SegmentLoaded.$Shape): baton.v1.SegmentLoaded & baton.v1.SegmentLoaded.$Shape;
            static create(properties?: baton.v1.SegmentLoaded.$Properties): baton.v1.SegmentLoaded;

            /**
             * Encodes the specified SegmentLoaded message. Does not implicitly {@link baton.v1.SegmentLoaded.verify|verify} messages.
             * @param message SegmentLoaded message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: baton.v1.SegmentLoaded.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a SegmentLoaded message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {baton.v1.SegmentLoaded & baton.v1.SegmentLoaded.$Shape} SegmentLoaded
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): baton.v1.SegmentLoaded & baton.v1.SegmentLoaded.$Shape;
        }

        namespace SegmentLoaded {

            /** Properties of a SegmentLoaded. */
            interface $Properties {

                /** SegmentLoaded requestId */
                requestId?: (string|null);

                /** SegmentLoaded index */
                index?: (number|null);

                /** SegmentLoaded page */
                page?: (number|null);

                /** SegmentLoaded bytes */
                bytes?: (number|null);

                /** SegmentLoaded transferred */
                transferred?: (boolean|null);

                /** SegmentLoaded checksum */
                checksum?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a SegmentLoaded. */
            type $Shape = baton.v1.SegmentLoaded.$Properties;
        }

        /** LoadStatus enum. */
        enum LoadStatus {

            /** LOAD_STATUS_UNSPECIFIED value */
            LOAD_STATUS_UNSPECIFIED = 0,

            /** LOAD_STATUS_COMPLETE value */
            LOAD_STATUS_COMPLETE = 1,

            /** LOAD_STATUS_MISSING value */
            LOAD_STATUS_MISSING = 2,

            /** LOAD_STATUS_FAILED value */
            LOAD_STATUS_FAILED = 3,

            /** LOAD_STATUS_TIMEOUT value */
            LOAD_STATUS_TIMEOUT = 4
        }

        /**
         * Properties of a LoadEnd.
         * @deprecated Use baton.v1.LoadEnd.$Properties instead.
         */
        interface ILoadEnd extends baton.v1.LoadEnd.$Properties {
        }

        /** Represents a LoadEnd. */
        class LoadEnd {

            /**
             * Constructs a new LoadEnd.
             * @param [properties] Properties to set
             */
            constructor(properties?: baton.v1.LoadEnd.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** LoadEnd requestId. */
            requestId: string;

            /** LoadEnd status. */
            status: baton.v1.LoadStatus;

            /** LoadEnd message. */
            message: string;

            /** LoadEnd tail. */
            tail?: (baton.v1.Tail.$Properties|null);

            /**
             * Creates a new LoadEnd instance using the specified properties.
             * @param [properties] Properties to set
             * @returns LoadEnd instance
             */
            static create(properties: baton.v1.LoadEnd.$Shape): baton.v1.LoadEnd & baton.v1.LoadEnd.$Shape;
            static create(properties?: baton.v1.LoadEnd.$Properties): baton.v1.LoadEnd;

            /**
             * Encodes the specified LoadEnd message. Does not implicitly {@link baton.v1.LoadEnd.verify|verify} messages.
             * @param message LoadEnd message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: baton.v1.LoadEnd.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a LoadEnd message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {baton.v1.LoadEnd & baton.v1.LoadEnd.$Shape} LoadEnd
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): baton.v1.LoadEnd & baton.v1.LoadEnd.$Shape;
        }

        namespace LoadEnd {

            /** Properties of a LoadEnd. */
            interface $Properties {

                /** LoadEnd requestId */
                requestId?: (string|null);

                /** LoadEnd status */
                status?: (baton.v1.LoadStatus|null);

                /** LoadEnd message */
                message?: (string|null);

                /** LoadEnd tail */
                tail?: (baton.v1.Tail.$Properties|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a LoadEnd. */
            type $Shape = baton.v1.LoadEnd.$Properties;
        }

        /**
         * Properties of a Tail.
         * @deprecated Use baton.v1.Tail.$Properties instead.
         */
        interface ITail extends baton.v1.Tail.$Properties {
        }

        /** Represents a Tail. */
        class Tail {

            /**
             * Constructs a new Tail.
             * @param [properties] Properties to set
             */
            constructor(properties?: baton.v1.Tail.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** Tail page. */
            page: number;

            /** Tail bytes. */
            bytes: number;

            /** Tail checksum. */
            checksum: number;

            /** Tail state. */
            state?: (baton.v1.SequenceState.$Properties|null);

            /**
             * Creates a new Tail instance using the specified properties.
             * @param [properties] Properties to set
             * @returns Tail instance
             */
            static create(properties: baton.v1.Tail.$Shape): baton.v1.Tail & baton.v1.Tail.$Shape;
            static create(properties?: baton.v1.Tail.$Properties): baton.v1.Tail;

            /**
             * Encodes the specified Tail message. Does not implicitly {@link baton.v1.Tail.verify|verify} messages.
             * @param message Tail message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: baton.v1.Tail.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a Tail message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {baton.v1.Tail & baton.v1.Tail.$Shape} Tail
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): baton.v1.Tail & baton.v1.Tail.$Shape;
        }

        namespace Tail {

            /** Properties of a Tail. */
            interface $Properties {

                /** Tail page */
                page?: (number|null);

                /** Tail bytes */
                bytes?: (number|null);

                /** Tail checksum */
                checksum?: (number|null);

                /** Tail state */
                state?: (baton.v1.SequenceState.$Properties|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a Tail. */
            type $Shape = baton.v1.Tail.$Properties;
        }

        /**
         * Properties of a SequenceState.
         * @deprecated Use baton.v1.SequenceState.$Properties instead.
         */
        interface ISequenceState extends baton.v1.SequenceState.$Properties {
        }

        /** Represents a SequenceState. */
        class SequenceState {

            /**
             * Constructs a new SequenceState.
             * @param [properties] Properties to set
             */
            constructor(properties?: baton.v1.SequenceState.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** SequenceState promptTokens. */
            promptTokens: number;

            /** SequenceState outputTokenIds. */
            outputTokenIds: number[];

            /** SequenceState seed. */
            seed: number;

            /**
             * Creates a new SequenceState instance using the specified properties.
             * @param [properties] Properties to set
             * @returns SequenceState instance
             */
            static create(properties: baton.v1.SequenceState.$Shape): baton.v1.SequenceState & baton.v1.SequenceState.$Shape;
            static create(properties?: baton.v1.SequenceState.$Properties): baton.v1.SequenceState;

            /**
             * Encodes the specified SequenceState message. Does not implicitly {@link baton.v1.SequenceState.verify|verify} messages.
             * @param message SequenceState message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: baton.v1.SequenceState.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a SequenceState message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {baton.v1.SequenceState & baton.v1.SequenceState.$Shape} SequenceState
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): baton.v1.SequenceState & baton.v1.SequenceState.$Shape;
        }

        namespace SequenceState {

            /** Properties of a SequenceState. */
            interface $Properties {

                /** SequenceState promptTokens */
                promptTokens?: (number|null);

                /** SequenceState outputTokenIds */
                outputTokenIds?: (number[]|null);

                /** SequenceState seed */
                seed?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a SequenceState. */
            type $Shape = baton.v1.SequenceState.$Properties;
        }

        /**
         * Properties of a ReleasePages.
         * @deprecated Use baton.v1.ReleasePages.$Properties instead.
         */
        interface IReleasePages extends baton.v1.ReleasePages.$Properties {
        }

        /** Represents a ReleasePages. */
        class ReleasePages {

            /**
             * Constructs a new ReleasePages.
             * @param [properties] Properties to set
             */
            constructor(properties?: baton.v1.ReleasePages.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ReleasePages requestId. */
            requestId: string;

            /** ReleasePages pages. */
            pages: number[];

            /**
             * Creates a new ReleasePages instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ReleasePages instance
             */
            static create(properties: baton.v1.ReleasePages.$Shape): baton.v1.ReleasePages & baton.v1.ReleasePages.$Shape;
            static create(properties?: baton.v1.ReleasePages.$Properties): baton.v1.ReleasePages;

            /**
             * Encodes the specified ReleasePages message. Does not implicitly {@link baton.v1.ReleasePages.verify|verify} messages.
             * @param message ReleasePages message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: baton.v1.ReleasePages.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a ReleasePages message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {baton.v1.ReleasePages & baton.v1.ReleasePages.$Shape} ReleasePages
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): baton.v1.ReleasePages & baton.v1.ReleasePages.$Shape;
        }

        namespace ReleasePages {

            /** Properties of a ReleasePages. */
            interface $Properties {

                /** ReleasePages requestId */
                requestId?: (string|null);

                /** ReleasePages pages */
                pages?: (number[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a ReleasePages. */
            type $Shape = baton.v1.ReleasePages.$Properties;
        }

        /**
         * Properties of a ReserveRequest.
         * @deprecated Use baton.v1.ReserveRequest.$Properties instead.
         */
        interface IReserveRequest extends baton.v1.ReserveRequest.$Properties {
        }

        /** Represents a ReserveRequest. */
        class ReserveRequest {

            /**
             * Constructs a new ReserveRequest.
             * @param [properties] Properties to set
             */
            constructor(properties?: baton.v1.ReserveRequest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ReserveRequest requestId. */
            requestId: string;

            /** ReserveRequest planId. */
            planId: string;

            /** ReserveRequest keys. */
            keys: Uint8Array;

            /** ReserveRequest tail. */
            tail: boolean;

            /**
             * Creates a new ReserveRequest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ReserveRequest instance
             */
            static create(properties: baton.v1.ReserveRequest.$Shape): baton.v1.ReserveRequest & baton.v1.ReserveRequest.$Shape;
            static create(properties?: baton.v1.ReserveRequest.$Properties): baton.v1.ReserveRequest;

            /**
             * Encodes the specified ReserveRequest message. Does not implicitly {@link baton.v1.ReserveRequest.verify|verify} messages.
             * @param message ReserveRequest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: baton.v1.ReserveRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a ReserveRequest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {baton.v1.ReserveRequest & baton.v1.ReserveRequest.$Shape} ReserveRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): baton.v1.ReserveRequest & baton.v1.ReserveRequest.$Shape;
        }

        namespace ReserveRequest {

            /** Properties of a ReserveRequest. */
            interface $Properties {

                /** ReserveRequest requestId */
                requestId?: (string|null);

                /** ReserveRequest planId */
                planId?: (string|null);

                /** ReserveRequest keys */
                keys?: (Uint8Array|null);

                /** ReserveRequest tail */
                tail?: (boolean|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a ReserveRequest. */
            type $Shape = baton.v1.ReserveRequest.$Properties;
        }

        /**
         * Properties of a ReserveReply.
         * @deprecated Use baton.v1.ReserveReply.$Properties instead.
         */
        interface IReserveReply extends baton.v1.ReserveReply.$Properties {
        }

        /** Represents a ReserveReply. */
        class ReserveReply {

            /**
             * Constructs a new ReserveReply.
             * @param [properties] Properties to set
             */
            constructor(properties?: baton.v1.ReserveReply.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ReserveReply requestId. */
            requestId: string;

            /** ReserveReply pages. */
            pages: number[];

            /** ReserveReply tailPage. */
            tailPage: number;

            /** ReserveReply refused. */
            refused: boolean;

            /**
             * Creates a new ReserveReply instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ReserveReply instance
             */
            static create(properties: baton.v1.ReserveReply.$Shape): baton.v1.ReserveReply & baton.v1.ReserveReply.$Shape;
            static create(properties?: baton.v1.ReserveReply.$Properties): baton.v1.ReserveReply;

            /**
             * Encodes the specified ReserveReply message. Does not implicitly {@link baton.v1.ReserveReply.verify|verify} messages.
             * @param message ReserveReply message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: baton.v1.ReserveReply.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a ReserveReply message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {baton.v1.ReserveReply & baton.v1.ReserveReply.$Shape} ReserveReply
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): baton.v1.ReserveReply & baton.v1.ReserveReply.$Shape;
        }

        namespace ReserveReply {

            /** Properties of a ReserveReply. */
            interface $Properties {

                /** ReserveReply requestId */
                requestId?: (string|null);

                /** ReserveReply pages */
                pages?: (number[]|null);

                /** ReserveReply tailPage */
                tailPage?: (number|null);

                /** ReserveReply refused */
                refused?: (boolean|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a ReserveReply. */
            type $Shape = baton.v1.ReserveReply.$Properties;
        }

        /**
         * Properties of a CommitSegment.
         * @deprecated Use baton.v1.CommitSegment.$Properties instead.
         */
        interface ICommitSegment extends baton.v1.CommitSegment.$Properties {
        }

        /** Represents a CommitSegment. */
        class CommitSegment {

            /**
             * Constructs a new CommitSegment.
             * @param [properties] Properties to set
             */
            constructor(properties?: baton.v1.CommitSegment.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** CommitSegment requestId. */
            requestId: string;

            /** CommitSegment planId. */
            planId: string;

            /** CommitSegment key. */
            key: Uint8Array;

            /** CommitSegment page. */
            page: number;

            /** CommitSegment bytes. */
            bytes: number;

            /** CommitSegment checksum. */
            checksum: number;

            /**
             * Creates a new CommitSegment instance using the specified properties.
             * @param [properties] Properties to set
             * @returns CommitSegment instance
             */
            static create(properties: baton.v1.CommitSegment.$Shape): baton.v1.CommitSegment & baton.v1.CommitSegment.$Shape;
            static create(properties?: baton.v1.CommitSegment.$Properties): baton.v1.CommitSegment;

            /**
             * Encodes the specified CommitSegment message. Does not implicitly {@link baton.v1.CommitSegment.verify|verify} messages.
             * @param message CommitSegment message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: baton.v1.CommitSegment.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a CommitSegment message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {baton.v1.CommitSegment & baton.v1.CommitSegment.$Shape} CommitSegment
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): baton.v1.CommitSegment & baton.v1.CommitSegment.$Shape;
        }

        namespace CommitSegment {

            /** Properties of a CommitSegment. */
            interface $Properties {

                /** CommitSegment requestId */
                requestId?: (string|null);

                /** CommitSegment planId */
                planId?: (string|null);

                /** CommitSegment key */
                key?: (Uint8Array|null);

                /** CommitSegment page */
                page?: (number|null);

                /** CommitSegment bytes */
                bytes?: (number|null);

                /** CommitSegment checksum */
                checksum?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a CommitSegment. */
            type $Shape = baton.v1.CommitSegment.$Properties;
        }

        /**
         * Properties of a HandoverReady.
         * @deprecated Use baton.v1.HandoverReady.$Properties instead.
         */
        interface IHandoverReady extends baton.v1.HandoverReady.$Properties {
        }

        /** Represents a HandoverReady. */
        class HandoverReady {

            /**
             * Constructs a new HandoverReady.
             * @param [properties] Properties to set
             */
            constructor(properties?: baton.v1.HandoverReady.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** HandoverReady requestId. */
            requestId: string;

            /** HandoverReady planId. */
            planId: string;

            /** HandoverReady tail. */
            tail?: (baton.v1.Tail.$Properties|null);

            /**
             * Creates a new HandoverReady instance using the specified properties.
             * @param [properties] Properties to set
             * @returns HandoverReady instance
             */
            static create(properties: baton.v1.HandoverReady.$Shape): baton.v1.HandoverReady & baton.v1.HandoverReady.$Shape;
            static create(properties?: baton.v1.HandoverReady.$Properties): baton.v1.HandoverReady;

            /**
             * Encodes the specified HandoverReady message. Does not implicitly {@link baton.v1.HandoverReady.verify|verify} messages.
             * @param message HandoverReady message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: baton.v1.HandoverReady.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a HandoverReady message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {baton.v1.HandoverReady & baton.v1.HandoverReady.$Shape} HandoverReady
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): baton.v1.HandoverReady & baton.v1.HandoverReady.$Shape;
        }

        namespace HandoverReady {

            /** Properties of a HandoverReady. */
            interface $Properties {

                /** HandoverReady requestId */
                requestId?: (string|null);

                /** HandoverReady planId */
                planId?: (string|null);

                /** HandoverReady tail */
                tail?: (baton.v1.Tail.$Properties|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a HandoverReady. */
            type $Shape = baton.v1.HandoverReady.$Properties;
        }

        /**
         * Properties of a RequestEnded.
         * @deprecated Use baton.v1.RequestEnded.$Properties instead.
         */
        interface IRequestEnded extends baton.v1.RequestEnded.$Properties {
        }

        /** Represents a RequestEnded. */
        class RequestEnded {

            /**
             * Constructs a new RequestEnded.
             * @param [properties] Properties to set
             */
            constructor(properties?: baton.v1.RequestEnded.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** RequestEnded requestId. */
            requestId: string;

            /** RequestEnded planId. */
            planId: string;

            /** RequestEnded leg. */
            leg: string;

            /** RequestEnded outcome. */
            outcome: string;

            /** RequestEnded promptTokens. */
            promptTokens: number;

            /** RequestEnded reusedTokens. */
            reusedTokens: number;

            /** RequestEnded transferredTokens. */
            transferredTokens: number;

            /** RequestEnded computedTokens. */
            computedTokens: number;

            /** RequestEnded outputTokens. */
            outputTokens: number;

            /**
             * Creates a new RequestEnded instance using the specified properties.
             * @param [properties] Properties to set
             * @returns RequestEnded instance
             */
            static create(properties: baton.v1.RequestEnded.$Shape): baton.v1.RequestEnded & baton.v1.RequestEnded.$Shape;
            static create(properties?: baton.v1.RequestEnded.$Properties): baton.v1.RequestEnded;

            /**
             * Encodes the specified RequestEnded message. Does not implicitly {@link baton.v1.RequestEnded.verify|verify} messages.
             * @param message RequestEnded message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: baton.v1.RequestEnded.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a RequestEnded message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {baton.v1.RequestEnded & baton.v1.RequestEnded.$Shape} RequestEnded
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): baton.v1.RequestEnded & baton.v1.RequestEnded.$Shape;
        }

        namespace RequestEnded {

            /** Properties of a RequestEnded. */
            interface $Properties {

                /** RequestEnded requestId */
                requestId?: (string|null);

                /** RequestEnded planId */
                planId?: (string|null);

                /** RequestEnded leg */
                leg?: (string|null);

                /** RequestEnded outcome */
                outcome?: (string|null);

                /** RequestEnded promptTokens */
                promptTokens?: (number|null);

                /** RequestEnded reusedTokens */
                reusedTokens?: (number|null);

                /** RequestEnded transferredTokens */
                transferredTokens?: (number|null);

                /** RequestEnded computedTokens */
                computedTokens?: (number|null);

                /** RequestEnded outputTokens */
                outputTokens?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a RequestEnded. */
            type $Shape = baton.v1.RequestEnded.$Properties;
        }

        /**
         * Properties of an ExportRequest.
         * @deprecated Use baton.v1.ExportRequest.$Properties instead.
         */
        interface IExportRequest extends baton.v1.ExportRequest.$Properties {
        }

        /** Represents an ExportRequest. */
        class ExportRequest {

            /**
             * Constructs a new ExportRequest.
             * @param [properties] Properties to set
             */
            constructor(properties?: baton.v1.ExportRequest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ExportRequest exportId. */
            exportId: string;

            /** ExportRequest keys. */
            keys: Uint8Array;

            /** ExportRequest pages. */
            pages: number[];

            /**
             * Creates a new ExportRequest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ExportRequest instance
             */
            static create(properties: baton.v1.ExportRequest.$Shape): baton.v1.ExportRequest & baton.v1.ExportRequest.$Shape;
            static create(properties?: baton.v1.ExportRequest.$Properties): baton.v1.ExportRequest;

            /**
             * Encodes the specified ExportRequest message. Does not implicitly {@link baton.v1.ExportRequest.verify|verify} messages.
             * @param message ExportRequest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: baton.v1.ExportRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an ExportRequest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {baton.v1.ExportRequest & baton.v1.ExportRequest.$Shape} ExportRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): baton.v1.ExportRequest & baton.v1.ExportRequest.$Shape;
        }

        namespace ExportRequest {

            /** Properties of an ExportRequest. */
            interface $Properties {

                /** ExportRequest exportId */
                exportId?: (string|null);

                /** ExportRequest keys */
                keys?: (Uint8Array|null);

                /** ExportRequest pages */
                pages?: (number[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of an ExportRequest. */
            type $Shape = baton.v1.ExportRequest.$Properties;
        }

        /**
         * Properties of an ExportReply.
         * @deprecated Use baton.v1.ExportReply.$Properties instead.
         */
        interface IExportReply extends baton.v1.ExportReply.$Properties {
        }

        /** Represents an ExportReply. */
        class ExportReply {

            /**
             * Constructs a new ExportReply.
             * @param [properties] Properties to set
             */
            constructor(properties?: baton.v1.ExportReply.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ExportReply exportId. */
            exportId: string;

            /** ExportReply exported. */
            exported: number;

            /**
             * Creates a new ExportReply instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ExportReply instance
             */
            static create(properties: baton.v1.ExportReply.$Shape): baton.v1.ExportReply & baton.v1.ExportReply.$Shape;
            static create(properties?: baton.v1.ExportReply.$Properties): baton.v1.ExportReply;

            /**
             * Encodes the specified ExportReply message. Does not implicitly {@link baton.v1.ExportReply.verify|verify} messages.
             * @param message ExportReply message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: baton.v1.ExportReply.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an ExportReply message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {baton.v1.ExportReply & baton.v1.ExportReply.$Shape} ExportReply
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): baton.v1.ExportReply & baton.v1.ExportReply.$Shape;
        }

        namespace ExportReply {

            /** Properties of an ExportReply. */
            interface $Properties {

                /** ExportReply exportId */
                exportId?: (string|null);

                /** ExportReply exported */
                exported?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of an ExportReply. */
            type $Shape = baton.v1.ExportReply.$Properties;
        }

        /**
         * Properties of a DamagedPage.
         * @deprecated Use baton.v1.DamagedPage.$Properties instead.
         */
        interface IDamagedPage extends baton.v1.DamagedPage.$Properties {
        }

        /** Represents a DamagedPage. */
        class DamagedPage {

            /**
             * Constructs a new DamagedPage.
             * @param [properties] Properties to set
             */
            constructor(properties?: baton.v1.DamagedPage.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** DamagedPage requestId. */
            requestId: string;

            /** DamagedPage key. */
            key: Uint8Array;

            /** DamagedPage page. */
            page: number;

            /**
             * Creates a new DamagedPage instance using the specified properties.
             * @param [properties] Properties to set
             * @returns DamagedPage instance
             */
            static create(properties: baton.v1.DamagedPage.$Shape): baton.v1.DamagedPage & baton.v1.DamagedPage.$Shape;
            static create(properties?: baton.v1.DamagedPage.$Properties): baton.v1.DamagedPage;

            /**
             * Encodes the specified DamagedPage message. Does not implicitly {@link baton.v1.DamagedPage.verify|verify} messages.
             * @param message DamagedPage message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: baton.v1.DamagedPage.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a DamagedPage message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {baton.v1.DamagedPage & baton.v1.DamagedPage.$Shape} DamagedPage
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): baton.v1.DamagedPage & baton.v1.DamagedPage.$Shape;
        }

        namespace DamagedPage {

            /** Properties of a DamagedPage. */
            interface $Properties {

                /** DamagedPage requestId */
                requestId?: (string|null);

                /** DamagedPage key */
                key?: (Uint8Array|null);

                /** DamagedPage page */
                page?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a DamagedPage. */
            type $Shape = baton.v1.DamagedPage.$Properties;
        }

        /**
         * Properties of a SessionRequest.
         * @deprecated Use baton.v1.SessionRequest.$Properties instead.
         */
        interface ISessionRequest extends baton.v1.SessionRequest.$Properties {
        }

        /** Represents a SessionRequest. */
        class SessionRequest {

            /**
             * Constructs a new SessionRequest.
             * @param [properties] Properties to set
             */
            constructor(properties?: baton.v1.SessionRequest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** SessionRequest hello. */
            hello?: (baton.v1.GatewayHello.$Properties|null);

            /** SessionRequest plan. */
            plan?: (baton.v1.PlanRequest.$Properties|null);

            /** SessionRequest report. */
            report?: (baton.v1.PlanReport.$Properties|null);

            /** SessionRequest message. */
            message?: ("hello"|"plan"|"report");

            /**
             * Creates a new SessionRequest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns SessionRequest instance
             */
            static create(properties: baton.v1.SessionRequest.$Shape): baton.v1.SessionRequest & baton.v1.SessionRequest.$Shape;
            static create(properties?: baton.v1.SessionRequest.$Properties): baton.v1.SessionRequest;

            /**
             * Encodes the specified SessionRequest message. Does not implicitly {@link baton.v1.SessionRequest.verify|verify} messages.
             * @param message SessionRequest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: baton.v1.SessionRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a SessionRequest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {baton.v1.SessionRequest & baton.v1.SessionRequest.$Shape} SessionRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): baton.v1.SessionRequest & baton.v1.SessionRequest.$Shape;
        }

        namespace SessionRequest {

            /** Properties of a SessionRequest. */
            interface $Properties {

                /** SessionRequest hello */
                hello?: (baton.v1.GatewayHello.$Properties|null);

                /** SessionRequest plan */
                plan?: (baton.v1.PlanRequest.$Properties|null);

                /** SessionRequest report */
                report?: (baton.v1.PlanReport.$Properties|null);

                /** SessionRequest message */
                message?: ("hello"|"plan"|"report");

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Narrowed shape of a SessionRequest. */
            type $Shape = {
              hello?: baton.v1.GatewayHello.$Shape|null;
              plan?: baton.v1.PlanRequest.$Shape|null;
              report?: baton.v1.PlanReport.$Shape|null;
              $unknowns?: Uint8Array[];
            } & (
              ({ message?: undefined; hello?: null; plan?: null; report?: null }|{ message?: "hello"; hello: baton.v1.GatewayHello.$Shape; plan?: null; report?: null }|{ message?: "plan"; hello?: null; plan: baton.v1.PlanRequest.$Shape; report?: null }|{ message?: "report"; hello?: null; plan?: null; report: baton.v1.PlanReport.$Shape })
            );
        }

        /**
         * Properties of a SessionReply.
         * @deprecated Use baton.v1.SessionReply.$Properties instead.
         */
        interface ISessionReply extends baton.v1.SessionReply.$Properties {
        }

        /** Represents a SessionReply. */
        class SessionReply {

            /**
             * Constructs a new SessionReply.
             * @param [properties] Properties to set
             */
            constructor(properties?: baton.v1.SessionReply.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** SessionReply fleet. */
            fleet?: (baton.v1.FleetUpdate.$Properties|null);

            /** SessionReply plan. */
            plan?: (baton.v1.PlanReply.$Properties|null);

            /** SessionReply message. */
            message?: ("fleet"|"plan");

            /**
             * Creates a new SessionReply instance using the specified properties.
             * @param [properties] Properties to set
             * @returns SessionReply instance
             */
            static create(properties: baton.v1.SessionReply.$Shape): baton.v1.SessionReply & baton.v1.SessionReply.$Shape;
            static create(properties?: baton.v1.SessionReply.$Properties): baton.v1.SessionReply;

            /**
             * Encodes the specified SessionReply message. Does not implicitly {@link baton.v1.SessionReply.verify|verify} messages.
             * @param message SessionReply message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: baton.v1.SessionReply.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a SessionReply message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {baton.v1.SessionReply & baton.v1.SessionReply.$Shape} SessionReply
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): baton.v1.SessionReply & baton.v1.SessionReply.$Shape;
        }

        namespace SessionReply {

            /** Properties of a SessionReply. */
            interface $Properties {

                /** SessionReply fleet */
                fleet?: (baton.v1.FleetUpdate.$Properties|null);

                /** SessionReply plan */
                plan?: (baton.v1.PlanReply.$Properties|null);

                /** SessionReply message */
                message?: ("fleet"|"plan");

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Narrowed shape of a SessionReply. */
            type $Shape = {
              fleet?: baton.v1.FleetUpdate.$Shape|null;
              plan?: baton.v1.PlanReply.$Shape|null;
              $unknowns?: Uint8Array[];
            } & (
              ({ message?: undefined; fleet?: null; plan?: null }|{ message?: "fleet"; fleet: baton.v1.FleetUpdate.$Shape; plan?: null }|{ message?: "plan"; fleet?: null; plan: baton.v1.PlanReply.$Shape })
            );
        }

        /**
         * Properties of a GatewayHello.
         * @deprecated Use baton.v1.GatewayHello.$Properties instead.
         */
        interface IGatewayHello extends baton.v1.GatewayHello.$Properties {
        }

        /** Represents a GatewayHello. */
        class GatewayHello {

            /**
             * Constructs a new GatewayHello.
             * @param [properties] Properties to set
             */
            constructor(properties?: baton.v1.GatewayHello.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** GatewayHello gatewayId. */
            gatewayId: string;

            /**
             * Creates a new GatewayHello instance using the specified properties.
             * @param [properties] Properties to set
             * @returns GatewayHello instance
             */
            static create(properties: baton.v1.GatewayHello.$Shape): baton.v1.GatewayHello & baton.v1.GatewayHello.$Shape;
            static create(properties?: baton.v1.GatewayHello.$Properties): baton.v1.GatewayHello;

            /**
             * Encodes the specified GatewayHello message. Does not implicitly {@link baton.v1.GatewayHello.verify|verify} messages.
             * @param message GatewayHello message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: baton.v1.GatewayHello.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a GatewayHello message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {baton.v1.GatewayHello & baton.v1.GatewayHello.$Shape} GatewayHello
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): baton.v1.GatewayHello & baton.v1.GatewayHello.$Shape;
        }

        namespace GatewayHello {

            /** Properties of a GatewayHello. */
            interface $Properties {

                /** GatewayHello gatewayId */
                gatewayId?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a GatewayHello. */
            type $Shape = baton.v1.GatewayHello.$Properties;
        }

        /**
         * Properties of a FleetUpdate.
         * @deprecated Use baton.v1.FleetUpdate.$Properties instead.
         */
        interface IFleetUpdate extends baton.v1.FleetUpdate.$Properties {
        }

        /** Represents a FleetUpdate. */
        class FleetUpdate {

            /**
             * Constructs a new FleetUpdate.
             * @param [properties] Properties to set
             */
            constructor(properties?: baton.v1.FleetUpdate.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** FleetUpdate models. */
            models: baton.v1.ModelPool.$Properties[];

            /**
             * Creates a new FleetUpdate instance using the specified properties.
             * @param [properties] Properties to set
             * @returns FleetUpdate instance
             */
            static create(properties: baton.v1.FleetUpdate.$Shape): baton.v1.FleetUpdate & baton.v1.FleetUpdate.$Shape;
            static create(properties?: baton.v1.FleetUpdate.$Properties): baton.v1.FleetUpdate;

            /**
             * Encodes the specified FleetUpdate message. Does not implicitly {@link baton.v1.FleetUpdate.verify|verify} messages.
             * @param message FleetUpdate message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: baton.v1.FleetUpdate.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a FleetUpdate message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {baton.v1.FleetUpdate & baton.v1.FleetUpdate.$Shape} FleetUpdate
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): baton.v1.FleetUpdate & baton.v1.FleetUpdate.$Shape;
        }

        namespace FleetUpdate {

            /** Properties of a FleetUpdate. */
            interface $Properties {

                /** FleetUpdate models */
                models?: (baton.v1.ModelPool.$Properties[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a FleetUpdate. */
            type $Shape = baton.v1.FleetUpdate.$Properties;
        }

        /**
         * Properties of a ModelPool.
         * @deprecated Use baton.v1.ModelPool.$Properties instead.
         */
        interface IModelPool extends baton.v1.ModelPool.$Properties {
        }

        /** Represents a ModelPool. */
        class ModelPool {

            /**
             * Constructs a new ModelPool.
             * @param [properties] Properties to set
             */
            constructor(properties?: baton.v1.ModelPool.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ModelPool model. */
            model: string;

            /** ModelPool tokenization. */
            tokenization: string;

            /** ModelPool segmentTokens. */
            segmentTokens: number;

            /** ModelPool maxModelTokens. */
            maxModelTokens: number;

            /** ModelPool workers. */
            workers: baton.v1.PoolWorker.$Properties[];

            /** ModelPool ready. */
            ready: boolean;

            /** ModelPool capabilities. */
            capabilities?: (baton.v1.Capabilities.$Properties|null);

            /** ModelPool adapters. */
            adapters: baton.v1.PoolAdapter.$Properties[];

            /**
             * Creates a new ModelPool instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ModelPool instance
             */
            static create(properties: baton.v1.ModelPool.$Shape): baton.v1.ModelPool & baton.v1.ModelPool.$Shape;
            static create(properties?: baton.v1.ModelPool.$Properties): baton.v1.ModelPool;

            /**
             * Encodes the specified ModelPool message. Does not implicitly {@link baton.v1.ModelPool.verify|verify} messages.
             * @param message ModelPool message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: baton.v1.ModelPool.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a ModelPool message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {baton.v1.ModelPool & baton.v1.ModelPool.$Shape} ModelPool
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): baton.v1.ModelPool & baton.v1.ModelPool.$Shape;
        }

        namespace ModelPool {

            /** Properties of a ModelPool. */
            interface $Properties {

                /** ModelPool model */
                model?: (string|null);

                /** ModelPool tokenization */
                tokenization?: (string|null);

                /** ModelPool segmentTokens */
                segmentTokens?: (number|null);

                /** ModelPool maxModelTokens */
                maxModelTokens?: (number|null);

                /** ModelPool workers */
                workers?: (baton.v1.PoolWorker.$Properties[]|null);

                /** ModelPool ready */
                ready?: (boolean|null);

                /** ModelPool capabilities */
                capabilities?: (baton.v1.Capabilities.$Properties|null);

                /** ModelPool adapters */
                adapters?: (baton.v1.PoolAdapter.$Properties[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a ModelPool. */
            type $Shape = baton.v1.ModelPool.$Properties;
        }

        /**
         * Properties of a PoolAdapter.
         * @deprecated Use baton.v1.PoolAdapter.$Properties instead.
         */
        interface IPoolAdapter extends baton.v1.PoolAdapter.$Properties {
        }

        /** Represents a PoolAdapter. */
        class PoolAdapter {

            /**
             * Constructs a new PoolAdapter.
             * @param [properties] Properties to set
             */
            constructor(properties?: baton.v1.PoolAdapter.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** PoolAdapter name. */
            name: string;

            /** PoolAdapter revision. */
            revision: string;

            /** PoolAdapter ready. */
            ready: boolean;

            /**
             * Creates a new PoolAdapter instance using the specified properties.
             * @param [properties] Properties to set
             * @returns PoolAdapter instance
             */
            static create(properties: baton.v1.PoolAdapter.$Shape): baton.v1.PoolAdapter & baton.v1.PoolAdapter.$Shape;
            static create(properties?: baton.v1.PoolAdapter.$Properties): baton.v1.PoolAdapter;

            /**
             * Encodes the specified PoolAdapter message. Does not implicitly {@link baton.v1.PoolAdapter.verify|verify} messages.
             * @param message PoolAdapter message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: baton.v1.PoolAdapter.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a PoolAdapter message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {baton.v1.PoolAdapter & baton.v1.PoolAdapter.$Shape} PoolAdapter
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): baton.v1.PoolAdapter & baton.v1.PoolAdapter.$Shape;
        }

        namespace PoolAdapter {

            /** Properties of a PoolAdapter. */
            interface $Properties {

                /** PoolAdapter name */
                name?: (string|null);

                /** PoolAdapter revision */
                revision?: (string|null);

                /** PoolAdapter ready */
                ready?: (boolean|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a PoolAdapter. */
            type $Shape = baton.v1.PoolAdapter.$Properties;
        }

        /**
         * Properties of a PoolWorker.
         * @deprecated Use baton.v1.PoolWorker.$Properties instead.
         */
        interface IPoolWorker extends baton.v1.PoolWorker.$Properties {
        }

        /** Represents a PoolWorker. */
        class PoolWorker {

            /**
             * Constructs a new PoolWorker.
             * @param [properties] Properties to set
             */
            constructor(properties?: baton.v1.PoolWorker.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** PoolWorker workerId. */
            workerId: string;

            /** PoolWorker engineUrl. */
            engineUrl: string;

            /**
             * Creates a new PoolWorker instance using the specified properties.
             * @param [properties] Properties to set
             * @returns PoolWorker instance
             */
            static create(properties: baton.v1.PoolWorker.$Shape): baton.v1.PoolWorker & baton.v1.PoolWorker.$Shape;
            static create(properties?: baton.v1.PoolWorker.$Properties): baton.v1.PoolWorker;

            /**
             * Encodes the specified PoolWorker message. Does not implicitly {@link baton.v1.PoolWorker.verify|verify} messages.
             * @param message PoolWorker message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: baton.v1.PoolWorker.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a PoolWorker message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {baton.v1.PoolWorker & baton.v1.PoolWorker.$Shape} PoolWorker
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): baton.v1.PoolWorker & baton.v1.PoolWorker.$Shape;
        }

        namespace PoolWorker {

            /** Properties of a PoolWorker. */
            interface $Properties {

                /** PoolWorker workerId */
                workerId?: (string|null);

                /** PoolWorker engineUrl */
                engineUrl?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a PoolWorker. */
            type $Shape = baton.v1.PoolWorker.$Properties;
        }

        /**
         * Properties of a PlanRequest.
         * @deprecated Use baton.v1.PlanRequest.$Properties instead.
         */
        interface IPlanRequest extends baton.v1.PlanRequest.$Properties {
        }

        /** Represents a PlanRequest. */
        class PlanRequest {

            /**
             * Constructs a new PlanRequest.
             * @param [properties] Properties to set
             */
            constructor(properties?: baton.v1.PlanRequest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** PlanRequest requestId. */
            requestId: string;

            /** PlanRequest model. */
            model: string;

            /** PlanRequest segmentKeys. */
            segmentKeys: Uint8Array;

            /** PlanRequest promptTokens. */
            promptTokens: number;

            /** PlanRequest maxOutputTokens. */
            maxOutputTokens: number;

            /** PlanRequest traceparent. */
            traceparent: string;

            /** PlanRequest excludeWorkers. */
            excludeWorkers: string[];

            /** PlanRequest maxWaitMs. */
            maxWaitMs: number;

            /** PlanRequest hints. */
            hints?: (baton.v1.RequestHints.$Properties|null);

            /** PlanRequest adapter. */
            adapter?: (baton.v1.Adapter.$Properties|null);

            /** PlanRequest keptTurn. */
            keptTurn?: (baton.v1.KeptTurn.$Properties|null);

            /**
             * Creates a new PlanRequest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns PlanRequest instance
             */
            static create(properties: baton.v1.PlanRequest.$Shape): baton.v1.PlanRequest & baton.v1.PlanRequest.$Shape;
            static create(properties?: baton.v1.PlanRequest.$Properties): baton.v1.PlanRequest;

            /**
             * Encodes the specified PlanRequest message. Does not implicitly {@link baton.v1.PlanRequest.verify|verify} messages.
             * @param message PlanRequest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: baton.v1.PlanRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a PlanRequest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {baton.v1.PlanRequest & baton.v1.PlanRequest.$Shape} PlanRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): baton.v1.PlanRequest & baton.v1.PlanRequest.$Shape;
        }

        namespace PlanRequest {

            /** Properties of a PlanRequest. */
            interface $Properties {

                /** PlanRequest requestId */
                requestId?: (string|null);

                /** PlanRequest model */
                model?: (string|null);

                /** PlanRequest segmentKeys */
                segmentKeys?: (Uint8Array|null);

                /** PlanRequest promptTokens */
                promptTokens?: (number|null);

                /** PlanRequest maxOutputTokens */
                maxOutputTokens?: (number|null);

                /** PlanRequest traceparent */
                traceparent?: (string|null);

                /** PlanRequest excludeWorkers */
                excludeWorkers?: (string[]|null);

                /** PlanRequest maxWaitMs */
                maxWaitMs?: (number|null);

                /** PlanRequest hints */
                hints?: (baton.v1.RequestHints.$Properties|null);

                /** PlanRequest adapter */
                adapter?: (baton.v1.Adapter.$Properties|null);

                /** PlanRequest keptTurn */
                keptTurn?: (baton.v1.KeptTurn.$Properties|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a PlanRequest. */
            type $Shape = baton.v1.PlanRequest.$Properties;
        }

        /**
         * Properties of a KeptTurn.
         * @deprecated Use baton.v1.KeptTurn.$Properties instead.
         */
        interface IKeptTurn extends baton.v1.KeptTurn.$Properties {
        }

        /** Represents a KeptTurn. */
        class KeptTurn {

            /**
             * Constructs a new KeptTurn.
             * @param [properties] Properties to set
             */
            constructor(properties?: baton.v1.KeptTurn.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** KeptTurn workerId. */
            workerId: string;

            /** KeptTurn epoch. */
            epoch?: (baton.v1.Epoch.$Properties|null);

            /** KeptTurn tokens. */
            tokens: number;

            /**
             * Creates a new KeptTurn instance using the specified properties.
             * @param [properties] Properties to set
             * @returns KeptTurn instance
             */
            static create(properties: baton.v1.KeptTurn.$Shape): baton.v1.KeptTurn & baton.v1.KeptTurn.$Shape;
            static create(properties?: baton.v1.KeptTurn.$Properties): baton.v1.KeptTurn;

            /**
             * Encodes the specified KeptTurn message. Does not implicitly {@link baton.v1.KeptTurn.verify|verify} messages.
             * @param message KeptTurn message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: baton.v1.KeptTurn.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a KeptTurn message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {baton.v1.KeptTurn & baton.v1.KeptTurn.$Shape} KeptTurn
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): baton.v1.KeptTurn & baton.v1.KeptTurn.$Shape;
        }

        namespace KeptTurn {

            /** Properties of a KeptTurn. */
            interface $Properties {

                /** KeptTurn workerId */
                workerId?: (string|null);

                /** KeptTurn epoch */
                epoch?: (baton.v1.Epoch.$Properties|null);

                /** KeptTurn tokens */
                tokens?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a KeptTurn. */
            type $Shape = baton.v1.KeptTurn.$Properties;
        }

        /**
         * Properties of a RequestHints.
         * @deprecated Use baton.v1.RequestHints.$Properties instead.
         */
        interface IRequestHints extends baton.v1.RequestHints.$Properties {
        }

        /** Represents a RequestHints. */
        class RequestHints {

            /**
             * Constructs a new RequestHints.
             * @param [properties] Properties to set
             */
            constructor(properties?: baton.v1.RequestHints.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** RequestHints sessionId. */
            sessionId: string;

            /** RequestHints tenant. */
            tenant: string;

            /** RequestHints priority. */
            priority: number;

            /** RequestHints ttftSloMs. */
            ttftSloMs: number;

            /** RequestHints tbtSloMs. */
            tbtSloMs: number;

            /**
             * Creates a new RequestHints instance using the specified properties.
             * @param [properties] Properties to set
             * @returns RequestHints instance
             */
            static create(properties: baton.v1.RequestHints.$Shape): baton.v1.RequestHints & baton.v1.RequestHints.$Shape;
            static create(properties?: baton.v1.RequestHints.$Properties): baton.v1.RequestHints;

            /**
             * Encodes the specified RequestHints message. Does not implicitly {@link baton.v1.RequestHints.verify|verify} messages.
             * @param message RequestHints message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: baton.v1.RequestHints.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a RequestHints message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {baton.v1.RequestHints & baton.v1.RequestHints.$Shape} RequestHints
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): baton.v1.RequestHints & baton.v1.RequestHints.$Shape;
        }

        namespace RequestHints {

            /** Properties of a RequestHints. */
            interface $Properties {

                /** RequestHints sessionId */
                sessionId?: (string|null);

                /** RequestHints tenant */
                tenant?: (string|null);

                /** RequestHints priority */
                priority?: (number|null);

                /** RequestHints ttftSloMs */
                ttftSloMs?: (number|null);

                /** RequestHints tbtSloMs */
                tbtSloMs?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a RequestHints. */
            type $Shape = baton.v1.RequestHints.$Properties;
        }

        /** PlanMode enum. */
        enum PlanMode {

            /** PLAN_MODE_UNSPECIFIED value */
            PLAN_MODE_UNSPECIFIED = 0,

            /** PLAN_MODE_AGGREGATED value */
            PLAN_MODE_AGGREGATED = 1,

            /** PLAN_MODE_DISAGGREGATED value */
            PLAN_MODE_DISAGGREGATED = 2
        }

        /**
         * Properties of a Leg.
         * @deprecated Use baton.v1.Leg.$Properties instead.
         */
        interface ILeg extends baton.v1.Leg.$Properties {
        }

        /** Represents a Leg. */
        class Leg {

            /**
             * Constructs a new Leg.
             * @param [properties] Properties to set
             */
            constructor(properties?: baton.v1.Leg.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** Leg workerId. */
            workerId: string;

            /** Leg engineUrl. */
            engineUrl: string;

            /** Leg heldTokens. */
            heldTokens: number;

            /** Leg engine. */
            engine: string;

            /** Leg connector. */
            connector: string;

            /** Leg blockTokens. */
            blockTokens: number;

            /** Leg meetingPoint. */
            meetingPoint?: (baton.v1.MeetingPoint.$Properties|null);

            /** Leg pairOnly. */
            pairOnly: boolean;

            /** Leg rank. */
            rank?: (number|null);

            /** Leg epoch. */
            epoch?: (baton.v1.Epoch.$Properties|null);

            /**
             * Creates a new Leg instance using the specified properties.
             * @param [properties] Properties to set
             * @returns Leg instance
             */
            static create(properties: baton.v1.Leg.$Shape): baton.v1.Leg & baton.v1.Leg.$Shape;
            static create(properties?: baton.v1.Leg.$Properties): baton.v1.Leg;

            /**
             * Encodes the specified Leg message. Does not implicitly {@link baton.v1.Leg.verify|verify} messages.
             * @param message Leg message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: baton.v1.Leg.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a Leg message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {baton.v1.Leg & baton.v1.Leg.$Shape} Leg
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): baton.v1.Leg & baton.v1.Leg.$Shape;
        }

        namespace Leg {

            /** Properties of a Leg. */
            interface $Properties {

                /** Leg workerId */
                workerId?: (string|null);

                /** Leg engineUrl */
                engineUrl?: (string|null);

                /** Leg heldTokens */
                heldTokens?: (number|null);

                /** Leg engine */
                engine?: (string|null);

                /** Leg connector */
                connector?: (string|null);

                /** Leg blockTokens */
                blockTokens?: (number|null);

                /** Leg meetingPoint */
                meetingPoint?: (baton.v1.MeetingPoint.$Properties|null);

                /** Leg pairOnly */
                pairOnly?: (boolean|null);

                /** Leg rank */
                rank?: (number|null);

                /** Leg epoch */
                epoch?: (baton.v1.Epoch.$Properties|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a Leg. */
            type $Shape = baton.v1.Leg.$Properties;
        }

        /**
         * Properties of a PlanReply.
         * @deprecated Use baton.v1.PlanReply.$Properties instead.
         */
        interface IPlanReply extends baton.v1.PlanReply.$Properties {
        }

        /** Represents a PlanReply. */
        class PlanReply {

            /**
             * Constructs a new PlanReply.
             * @param [properties] Properties to set
             */
            constructor(properties?: baton.v1.PlanReply.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** PlanReply requestId. */
            requestId: string;

            /** PlanReply planId. */
            planId: string;

            /** PlanReply mode. */
            mode: baton.v1.PlanMode;

            /** PlanReply prefill. */
            prefill?: (baton.v1.Leg.$Properties|null);

            /** PlanReply decode. */
            decode?: (baton.v1.Leg.$Properties|null);

            /** PlanReply prefixTokens. */
            prefixTokens: number;

            /** PlanReply leaseMs. */
            leaseMs: number;

            /** PlanReply refusal. */
            refusal?: (baton.v1.PlanRefusal.$Properties|null);

            /** PlanReply readsTurn. */
            readsTurn: boolean;

            /**
             * Creates a new PlanReply instance using the specified properties.
             * @param [properties] Properties to set
             * @returns PlanReply instance
             */
            static create(properties: baton.v1.PlanReply.$Shape): baton.v1.PlanReply & baton.v1.PlanReply.$Shape;
            static create(properties?: baton.v1.PlanReply.$Properties): baton.v1.PlanReply;

            /**
             * Encodes the specified PlanReply message. Does not implicitly {@link baton.v1.PlanReply.verify|verify} messages.
             * @param message PlanReply message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: baton.v1.PlanReply.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a PlanReply message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {baton.v1.PlanReply & baton.v1.PlanReply.$Shape} PlanReply
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): baton.v1.PlanReply & baton.v1.PlanReply.$Shape;
        }

        namespace PlanReply {

            /** Properties of a PlanReply. */
            interface $Properties {

                /** PlanReply requestId */
                requestId?: (string|null);

                /** PlanReply planId */
                planId?: (string|null);

                /** PlanReply mode */
                mode?: (baton.v1.PlanMode|null);

                /** PlanReply prefill */
                prefill?: (baton.v1.Leg.$Properties|null);

                /** PlanReply decode */
                decode?: (baton.v1.Leg.$Properties|null);

                /** PlanReply prefixTokens */
                prefixTokens?: (number|null);

                /** PlanReply leaseMs */
                leaseMs?: (number|null);

                /** PlanReply refusal */
                refusal?: (baton.v1.PlanRefusal.$Properties|null);

                /** PlanReply readsTurn */
                readsTurn?: (boolean|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a PlanReply. */
            type $Shape = baton.v1.PlanReply.$Properties;
        }

        /**
         * Properties of a PlanRefusal.
         * @deprecated Use baton.v1.PlanRefusal.$Properties instead.
         */
        interface IPlanRefusal extends baton.v1.PlanRefusal.$Properties {
        }

        /** Represents a PlanRefusal. */
        class PlanRefusal {

            /**
             * Constructs a new PlanRefusal.
             * @param [properties] Properties to set
             */
            constructor(properties?: baton.v1.PlanRefusal.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** PlanRefusal code. */
            code: string;

            /** PlanRefusal message. */
            message: string;

            /** PlanRefusal retryAfterMs. */
            retryAfterMs: number;

            /**
             * Creates a new PlanRefusal instance using the specified properties.
             * @param [properties] Properties to set
             * @returns PlanRefusal instance
             */
            static create(properties: baton.v1.PlanRefusal.$Shape): baton.v1.PlanRefusal & baton.v1.PlanRefusal.$Shape;
            static create(properties?: baton.v1.PlanRefusal.$Properties): baton.v1.PlanRefusal;

            /**
             * Encodes the specified PlanRefusal message. Does not implicitly {@link baton.v1.PlanRefusal.verify|verify} messages.
             * @param message PlanRefusal message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: baton.v1.PlanRefusal.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a PlanRefusal message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {baton.v1.PlanRefusal & baton.v1.PlanRefusal.$Shape} PlanRefusal
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): baton.v1.PlanRefusal & baton.v1.PlanRefusal.$Shape;
        }

        namespace PlanRefusal {

            /** Properties of a PlanRefusal. */
            interface $Properties {

                /** PlanRefusal code */
                code?: (string|null);

                /** PlanRefusal message */
                message?: (string|null);

                /** PlanRefusal retryAfterMs */
                retryAfterMs?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a PlanRefusal. */
            type $Shape = baton.v1.PlanRefusal.$Properties;
        }

        /** PlanPhase enum. */
        enum PlanPhase {

            /** PLAN_PHASE_UNSPECIFIED value */
            PLAN_PHASE_UNSPECIFIED = 0,

            /** PLAN_PHASE_FIRST_TOKEN value */
            PLAN_PHASE_FIRST_TOKEN = 1,

            /** PLAN_PHASE_PROGRESS value */
            PLAN_PHASE_PROGRESS = 2,

            /** PLAN_PHASE_FINISHED value */
            PLAN_PHASE_FINISHED = 3,

            /** PLAN_PHASE_ABORTED value */
            PLAN_PHASE_ABORTED = 4,

            /** PLAN_PHASE_FAILED value */
            PLAN_PHASE_FAILED = 5,

            /** PLAN_PHASE_PREFILLED value */
            PLAN_PHASE_PREFILLED = 6
        }

        /**
         * Properties of a PlanReport.
         * @deprecated Use baton.v1.PlanReport.$Properties instead.
         */
        interface IPlanReport extends baton.v1.PlanReport.$Properties {
        }

        /** Represents a PlanReport. */
        class PlanReport {

            /**
             * Constructs a new PlanReport.
             * @param [properties] Properties to set
             */
            constructor(properties?: baton.v1.PlanReport.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** PlanReport planId. */
            planId: string;

            /** PlanReport phase. */
            phase: baton.v1.PlanPhase;

            /** PlanReport outputTokens. */
            outputTokens: number;

            /** PlanReport computedTokens. */
            computedTokens: number;

            /** PlanReport ttftMs. */
            ttftMs: number;

            /** PlanReport code. */
            code: string;

            /**
             * Creates a new PlanReport instance using the specified properties.
             * @param [properties] Properties to set
             * @returns PlanReport instance
             */
            static create(properties: baton.v1.PlanReport.$Shape): baton.v1.PlanReport & baton.v1.PlanReport.$Shape;
            static create(properties?: baton.v1.PlanReport.$Properties): baton.v1.PlanReport;

            /**
             * Encodes the specified PlanReport message. Does not implicitly {@link baton.v1.PlanReport.verify|verify} messages.
             * @param message PlanReport message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: baton.v1.PlanReport.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a PlanReport message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {baton.v1.PlanReport & baton.v1.PlanReport.$Shape} PlanReport
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): baton.v1.PlanReport & baton.v1.PlanReport.$Shape;
        }

        namespace PlanReport {

            /** Properties of a PlanReport. */
            interface $Properties {

                /** PlanReport planId */
                planId?: (string|null);

                /** PlanReport phase */
                phase?: (baton.v1.PlanPhase|null);

                /** PlanReport outputTokens */
                outputTokens?: (number|null);

                /** PlanReport computedTokens */
                computedTokens?: (number|null);

                /** PlanReport ttftMs */
                ttftMs?: (number|null);

                /** PlanReport code */
                code?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a PlanReport. */
            type $Shape = baton.v1.PlanReport.$Properties;
        }

        /** TransferReason enum. */
        enum TransferReason {

            /** TRANSFER_REASON_UNSPECIFIED value */
            TRANSFER_REASON_UNSPECIFIED = 0,

            /** TRANSFER_REASON_PREFIX value */
            TRANSFER_REASON_PREFIX = 1,

            /** TRANSFER_REASON_HANDOVER value */
            TRANSFER_REASON_HANDOVER = 2,

            /** TRANSFER_REASON_REPLICATE value */
            TRANSFER_REASON_REPLICATE = 3,

            /** TRANSFER_REASON_PROMOTE value */
            TRANSFER_REASON_PROMOTE = 4,

            /** TRANSFER_REASON_MIGRATE value */
            TRANSFER_REASON_MIGRATE = 5
        }

        /**
         * Properties of a TransferOrder.
         * @deprecated Use baton.v1.TransferOrder.$Properties instead.
         */
        interface ITransferOrder extends baton.v1.TransferOrder.$Properties {
        }

        /** Represents a TransferOrder. */
        class TransferOrder {

            /**
             * Constructs a new TransferOrder.
             * @param [properties] Properties to set
             */
            constructor(properties?: baton.v1.TransferOrder.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** TransferOrder transferId. */
            transferId: string;

            /** TransferOrder planId. */
            planId: string;

            /** TransferOrder reason. */
            reason: baton.v1.TransferReason;

            /** TransferOrder sourceWorker. */
            sourceWorker: string;

            /** TransferOrder sourceAddress. */
            sourceAddress: string;

            /** TransferOrder keys. */
            keys: Uint8Array;

            /** TransferOrder withTail. */
            withTail: boolean;

            /** TransferOrder timeoutMs. */
            timeoutMs: number;

            /** TransferOrder traceparent. */
            traceparent: string;

            /**
             * Creates a new TransferOrder instance using the specified properties.
             * @param [properties] Properties to set
             * @returns TransferOrder instance
             */
            static create(properties: baton.v1.TransferOrder.$Shape): baton.v1.TransferOrder & baton.v1.TransferOrder.$Shape;
            static create(properties?: baton.v1.TransferOrder.$Properties): baton.v1.TransferOrder;

            /**
             * Encodes the specified TransferOrder message. Does not implicitly {@link baton.v1.TransferOrder.verify|verify} messages.
             * @param message TransferOrder message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: baton.v1.TransferOrder.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a TransferOrder message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {baton.v1.TransferOrder & baton.v1.TransferOrder.$Shape} TransferOrder
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): baton.v1.TransferOrder & baton.v1.TransferOrder.$Shape;
        }

        namespace TransferOrder {

            /** Properties of a TransferOrder. */
            interface $Properties {

                /** TransferOrder transferId */
                transferId?: (string|null);

                /** TransferOrder planId */
                planId?: (string|null);

                /** TransferOrder reason */
                reason?: (baton.v1.TransferReason|null);

                /** TransferOrder sourceWorker */
                sourceWorker?: (string|null);

                /** TransferOrder sourceAddress */
                sourceAddress?: (string|null);

                /** TransferOrder keys */
                keys?: (Uint8Array|null);

                /** TransferOrder withTail */
                withTail?: (boolean|null);

                /** TransferOrder timeoutMs */
                timeoutMs?: (number|null);

                /** TransferOrder traceparent */
                traceparent?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a TransferOrder. */
            type $Shape = baton.v1.TransferOrder.$Properties;
        }

        /**
         * Properties of a TransferAck.
         * @deprecated Use baton.v1.TransferAck.$Properties instead.
         */
        interface ITransferAck extends baton.v1.TransferAck.$Properties {
        }

        /** Represents a TransferAck. */
        class TransferAck {

            /**
             * Constructs a new TransferAck.
             * @param [properties] Properties to set
             */
            constructor(properties?: baton.v1.TransferAck.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** TransferAck accepted. */
            accepted: boolean;

            /** TransferAck code. */
            code: string;

            /** TransferAck message. */
            message: string;

            /**
             * Creates a new TransferAck instance using the specified properties.
             * @param [properties] Properties to set
             * @returns TransferAck instance
             */
            static create(properties: baton.v1.TransferAck.$Shape): baton.v1.TransferAck & baton.v1.TransferAck.$Shape;
            static create(properties?: baton.v1.TransferAck.$Properties): baton.v1.TransferAck;

            /**
             * Encodes the specified TransferAck message. Does not implicitly {@link baton.v1.TransferAck.verify|verify} messages.
             * @param message TransferAck message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: baton.v1.TransferAck.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a TransferAck message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {baton.v1.TransferAck & baton.v1.TransferAck.$Shape} TransferAck
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): baton.v1.TransferAck & baton.v1.TransferAck.$Shape;
        }

        namespace TransferAck {

            /** Properties of a TransferAck. */
            interface $Properties {

                /** TransferAck accepted */
                accepted?: (boolean|null);

                /** TransferAck code */
                code?: (string|null);

                /** TransferAck message */
                message?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a TransferAck. */
            type $Shape = baton.v1.TransferAck.$Properties;
        }

        /** TransferStatus enum. */
        enum TransferStatus {

            /** TRANSFER_STATUS_UNSPECIFIED value */
            TRANSFER_STATUS_UNSPECIFIED = 0,

            /** TRANSFER_STATUS_DONE value */
            TRANSFER_STATUS_DONE = 1,

            /** TRANSFER_STATUS_PARTIAL value */
            TRANSFER_STATUS_PARTIAL = 2,

            /** TRANSFER_STATUS_FAILED value */
            TRANSFER_STATUS_FAILED = 3,

            /** TRANSFER_STATUS_CANCELLED value */
            TRANSFER_STATUS_CANCELLED = 4
        }

        /**
         * Properties of a TransferResult.
         * @deprecated Use baton.v1.TransferResult.$Properties instead.
         */
        interface ITransferResult extends baton.v1.TransferResult.$Properties {
        }

        /** Represents a TransferResult. */
        class TransferResult {

            /**
             * Constructs a new TransferResult.
             * @param [properties] Properties to set
             */
            constructor(properties?: baton.v1.TransferResult.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** TransferResult transferId. */
            transferId: string;

            /** TransferResult workerId. */
            workerId: string;

            /** TransferResult status. */
            status: baton.v1.TransferStatus;

            /** TransferResult segments. */
            segments: number;

            /** TransferResult bytes. */
            bytes: number;

            /** TransferResult durationMs. */
            durationMs: number;

            /** TransferResult bytesPerSec. */
            bytesPerSec: number;

            /** TransferResult backend. */
            backend: string;

            /** TransferResult code. */
            code: string;

            /**
             * Creates a new TransferResult instance using the specified properties.
             * @param [properties] Properties to set
             * @returns TransferResult instance
             */
            static create(properties: baton.v1.TransferResult.$Shape): baton.v1.TransferResult & baton.v1.TransferResult.$Shape;
            static create(properties?: baton.v1.TransferResult.$Properties): baton.v1.TransferResult;

            /**
             * Encodes the specified TransferResult message. Does not implicitly {@link baton.v1.TransferResult.verify|verify} messages.
             * @param message TransferResult message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: baton.v1.TransferResult.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a TransferResult message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {baton.v1.TransferResult & baton.v1.TransferResult.$Shape} TransferResult
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): baton.v1.TransferResult & baton.v1.TransferResult.$Shape;
        }

        namespace TransferResult {

            /** Properties of a TransferResult. */
            interface $Properties {

                /** TransferResult transferId */
                transferId?: (string|null);

                /** TransferResult workerId */
                workerId?: (string|null);

                /** TransferResult status */
                status?: (baton.v1.TransferStatus|null);

                /** TransferResult segments */
                segments?: (number|null);

                /** TransferResult bytes */
                bytes?: (number|null);

                /** TransferResult durationMs */
                durationMs?: (number|null);

                /** TransferResult bytesPerSec */
                bytesPerSec?: (number|null);

                /** TransferResult backend */
                backend?: (string|null);

                /** TransferResult code */
                code?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a TransferResult. */
            type $Shape = baton.v1.TransferResult.$Properties;
        }

        /**
         * Properties of a CancelPlan.
         * @deprecated Use baton.v1.CancelPlan.$Properties instead.
         */
        interface ICancelPlan extends baton.v1.CancelPlan.$Properties {
        }

        /** Represents a CancelPlan. */
        class CancelPlan {

            /**
             * Constructs a new CancelPlan.
             * @param [properties] Properties to set
             */
            constructor(properties?: baton.v1.CancelPlan.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** CancelPlan planId. */
            planId: string;

            /** CancelPlan reason. */
            reason: string;

            /**
             * Creates a new CancelPlan instance using the specified properties.
             * @param [properties] Properties to set
             * @returns CancelPlan instance
             */
            static create(properties: baton.v1.CancelPlan.$Shape): baton.v1.CancelPlan & baton.v1.CancelPlan.$Shape;
            static create(properties?: baton.v1.CancelPlan.$Properties): baton.v1.CancelPlan;

            /**
             * Encodes the specified CancelPlan message. Does not implicitly {@link baton.v1.CancelPlan.verify|verify} messages.
             * @param message CancelPlan message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: baton.v1.CancelPlan.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a CancelPlan message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {baton.v1.CancelPlan & baton.v1.CancelPlan.$Shape} CancelPlan
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): baton.v1.CancelPlan & baton.v1.CancelPlan.$Shape;
        }

        namespace CancelPlan {

            /** Properties of a CancelPlan. */
            interface $Properties {

                /** CancelPlan planId */
                planId?: (string|null);

                /** CancelPlan reason */
                reason?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a CancelPlan. */
            type $Shape = baton.v1.CancelPlan.$Properties;
        }

        /**
         * Properties of a PullRequest.
         * @deprecated Use baton.v1.PullRequest.$Properties instead.
         */
        interface IPullRequest extends baton.v1.PullRequest.$Properties {
        }

        /** Represents a PullRequest. */
        class PullRequest {

            /**
             * Constructs a new PullRequest.
             * @param [properties] Properties to set
             */
            constructor(properties?: baton.v1.PullRequest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** PullRequest transferId. */
            transferId: string;

            /** PullRequest planId. */
            planId: string;

            /** PullRequest keys. */
            keys: Uint8Array;

            /** PullRequest withTail. */
            withTail: boolean;

            /** PullRequest wait. */
            wait: boolean;

            /** PullRequest layout. */
            layout: string;

            /** PullRequest timeoutMs. */
            timeoutMs: number;

            /**
             * Creates a new PullRequest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns PullRequest instance
             */
            static create(properties: baton.v1.PullRequest.$Shape): baton.v1.PullRequest & baton.v1.PullRequest.$Shape;
            static create(properties?: baton.v1.PullRequest.$Properties): baton.v1.PullRequest;

            /**
             * Encodes the specified PullRequest message. Does not implicitly {@link baton.v1.PullRequest.verify|verify} messages.
             * @param message PullRequest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: baton.v1.PullRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a PullRequest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {baton.v1.PullRequest & baton.v1.PullRequest.$Shape} PullRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): baton.v1.PullRequest & baton.v1.PullRequest.$Shape;
        }

        namespace PullRequest {

            /** Properties of a PullRequest. */
            interface $Properties {

                /** PullRequest transferId */
                transferId?: (string|null);

                /** PullRequest planId */
                planId?: (string|null);

                /** PullRequest keys */
                keys?: (Uint8Array|null);

                /** PullRequest withTail */
                withTail?: (boolean|null);

                /** PullRequest wait */
                wait?: (boolean|null);

                /** PullRequest layout */
                layout?: (string|null);

                /** PullRequest timeoutMs */
                timeoutMs?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a PullRequest. */
            type $Shape = baton.v1.PullRequest.$Properties;
        }
    }
}
