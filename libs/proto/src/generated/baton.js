/*eslint-disable block-scoped-var, id-length, no-control-regex, no-magic-numbers, no-mixed-operators, no-prototype-builtins, no-redeclare, no-shadow, no-var, sort-vars, default-case, jsdoc/require-param*/
import $protobuf from "protobufjs/minimal.js";

// Common aliases
const $Reader = $protobuf.Reader, $Writer = $protobuf.Writer, $util = $protobuf.util;
const $Object = $util.global.Object, $undefined = $util.global.undefined, $Error = $util.global.Error, $RangeError = $util.global.RangeError;

// Exported root namespace
const $root = $protobuf.roots["default"] || ($protobuf.roots["default"] = {});

export const baton = $root.baton = (() => {

    /**
     * Namespace baton.
     * @exports baton
     * @namespace
     */
    const baton = {};

    baton.v1 = (function() {

        /**
         * Namespace v1.
         * @memberof baton
         * @namespace
         */
        const v1 = {};

        /**
         * Tier enum.
         * @name baton.v1.Tier
         * @enum {number}
         * @property {number} TIER_UNSPECIFIED=0 TIER_UNSPECIFIED value
         * @property {number} TIER_HBM=1 TIER_HBM value
         * @property {number} TIER_DRAM=2 TIER_DRAM value
         * @property {number} TIER_SSD=3 TIER_SSD value
         * @property {number} TIER_HOST=4 TIER_HOST value
         * @property {number} TIER_STORAGE=5 TIER_STORAGE value
         */
        v1.Tier = (function() {
            const valuesById = $Object.create(null), values = $Object.create(valuesById);
            values[valuesById[0] = "TIER_UNSPECIFIED"] = 0;
            values[valuesById[1] = "TIER_HBM"] = 1;
            values[valuesById[2] = "TIER_DRAM"] = 2;
            values[valuesById[3] = "TIER_SSD"] = 3;
            values[valuesById[4] = "TIER_HOST"] = 4;
            values[valuesById[5] = "TIER_STORAGE"] = 5;
            return values;
        })();

        /**
         * Role enum.
         * @name baton.v1.Role
         * @enum {number}
         * @property {number} ROLE_UNSPECIFIED=0 ROLE_UNSPECIFIED value
         * @property {number} ROLE_PREFILL=1 ROLE_PREFILL value
         * @property {number} ROLE_DECODE=2 ROLE_DECODE value
         * @property {number} ROLE_BOTH=3 ROLE_BOTH value
         */
        v1.Role = (function() {
            const valuesById = $Object.create(null), values = $Object.create(valuesById);
            values[valuesById[0] = "ROLE_UNSPECIFIED"] = 0;
            values[valuesById[1] = "ROLE_PREFILL"] = 1;
            values[valuesById[2] = "ROLE_DECODE"] = 2;
            values[valuesById[3] = "ROLE_BOTH"] = 3;
            return values;
        })();

        v1.Epoch = (function() {

            /**
             * Properties of an Epoch.
             * @typedef {Object} baton.v1.Epoch.$Properties
             * @property {number|null} [startedAtMs] Epoch startedAtMs
             * @property {number|null} [nonce] Epoch nonce
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of an Epoch.
             * @memberof baton.v1
             * @interface IEpoch
             * @augments baton.v1.Epoch.$Properties
             * @deprecated Use baton.v1.Epoch.$Properties instead.
             */

            /**
             * Shape of an Epoch.
             * @typedef {baton.v1.Epoch.$Properties} baton.v1.Epoch.$Shape
             */

            /**
             * Constructs a new Epoch.
             * @memberof baton.v1
             * @classdesc Represents an Epoch.
             * @constructor
             * @param {baton.v1.Epoch.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const Epoch = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * Epoch startedAtMs.
             * @member {number} startedAtMs
             * @memberof baton.v1.Epoch
             * @instance
             */
            Epoch.prototype.startedAtMs = $util.Long ? $util.Long.fromBits(0,0,true) : 0;

            /**
             * Epoch nonce.
             * @member {number} nonce
             * @memberof baton.v1.Epoch
             * @instance
             */
            Epoch.prototype.nonce = $util.Long ? $util.Long.fromBits(0,0,true) : 0;

            /**
             * Creates a new Epoch instance using the specified properties.
             * @function create
             * @memberof baton.v1.Epoch
             * @static
             * @param {baton.v1.Epoch.$Properties=} [properties] Properties to set
             * @returns {baton.v1.Epoch} Epoch instance
             * @type {{
             *   (properties: baton.v1.Epoch.$Shape): baton.v1.Epoch & baton.v1.Epoch.$Shape;
             *   (properties?: baton.v1.Epoch.$Properties): baton.v1.Epoch;
             * }}
             */
            Epoch.create = function(properties) {
                return new Epoch(properties);
            };

            /**
             * Encodes the specified Epoch message. Does not implicitly {@link baton.v1.Epoch.verify|verify} messages.
             * @function encode
             * @memberof baton.v1.Epoch
             * @static
             * @param {baton.v1.Epoch.$Properties} message Epoch message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            Epoch.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.startedAtMs != null && $Object.hasOwnProperty.call(message, "startedAtMs") && (typeof message.startedAtMs === "object" ? message.startedAtMs.low || message.startedAtMs.high : message.startedAtMs !== 0))
                    writer.uint32(/* id 1, wireType 0 =*/8).uint64(message.startedAtMs);
                if (message.nonce != null && $Object.hasOwnProperty.call(message, "nonce") && (typeof message.nonce === "object" ? message.nonce.low || message.nonce.high : message.nonce !== 0))
                    writer.uint32(/* id 2, wireType 0 =*/16).uint64(message.nonce);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes an Epoch message from the specified reader or buffer.
             * @function decode
             * @memberof baton.v1.Epoch
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {baton.v1.Epoch & baton.v1.Epoch.$Shape} Epoch
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            Epoch.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.baton.v1.Epoch();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.uint64()) === "object" ? value.low || value.high : value !== 0)
                                message.startedAtMs = value;
                            else
                                delete message.startedAtMs;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.uint64()) === "object" ? value.low || value.high : value !== 0)
                                message.nonce = value;
                            else
                                delete message.nonce;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return Epoch;
        })();

        v1.KvLayout = (function() {

            /**
             * Properties of a KvLayout.
             * @typedef {Object} baton.v1.KvLayout.$Properties
             * @property {string|null} [modelRevision] KvLayout modelRevision
             * @property {string|null} [dtype] KvLayout dtype
             * @property {number|null} [layers] KvLayout layers
             * @property {number|null} [ranks] KvLayout ranks
             * @property {number|null} [blockTokens] KvLayout blockTokens
             * @property {string|null} [connector] KvLayout connector
             * @property {string|null} [connectorVersion] KvLayout connectorVersion
             * @property {number|null} [bytesPerToken] KvLayout bytesPerToken
             * @property {number|null} [segmentBytes] KvLayout segmentBytes
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a KvLayout.
             * @memberof baton.v1
             * @interface IKvLayout
             * @augments baton.v1.KvLayout.$Properties
             * @deprecated Use baton.v1.KvLayout.$Properties instead.
             */

            /**
             * Shape of a KvLayout.
             * @typedef {baton.v1.KvLayout.$Properties} baton.v1.KvLayout.$Shape
             */

            /**
             * Constructs a new KvLayout.
             * @memberof baton.v1
             * @classdesc Represents a KvLayout.
             * @constructor
             * @param {baton.v1.KvLayout.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const KvLayout = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * KvLayout modelRevision.
             * @member {string} modelRevision
             * @memberof baton.v1.KvLayout
             * @instance
             */
            KvLayout.prototype.modelRevision = "";

            /**
             * KvLayout dtype.
             * @member {string} dtype
             * @memberof baton.v1.KvLayout
             * @instance
             */
            KvLayout.prototype.dtype = "";

            /**
             * KvLayout layers.
             * @member {number} layers
             * @memberof baton.v1.KvLayout
             * @instance
             */
            KvLayout.prototype.layers = 0;

            /**
             * KvLayout ranks.
             * @member {number} ranks
             * @memberof baton.v1.KvLayout
             * @instance
             */
            KvLayout.prototype.ranks = 0;

            /**
             * KvLayout blockTokens.
             * @member {number} blockTokens
             * @memberof baton.v1.KvLayout
             * @instance
             */
            KvLayout.prototype.blockTokens = 0;

            /**
             * KvLayout connector.
             * @member {string} connector
             * @memberof baton.v1.KvLayout
             * @instance
             */
            KvLayout.prototype.connector = "";

            /**
             * KvLayout connectorVersion.
             * @member {string} connectorVersion
             * @memberof baton.v1.KvLayout
             * @instance
             */
            KvLayout.prototype.connectorVersion = "";

            /**
             * KvLayout bytesPerToken.
             * @member {number} bytesPerToken
             * @memberof baton.v1.KvLayout
             * @instance
             */
            KvLayout.prototype.bytesPerToken = 0;

            /**
             * KvLayout segmentBytes.
             * @member {number} segmentBytes
             * @memberof baton.v1.KvLayout
             * @instance
             */
            KvLayout.prototype.segmentBytes = 0;

            /**
             * Creates a new KvLayout instance using the specified properties.
             * @function create
             * @memberof baton.v1.KvLayout
             * @static
             * @param {baton.v1.KvLayout.$Properties=} [properties] Properties to set
             * @returns {baton.v1.KvLayout} KvLayout instance
             * @type {{
             *   (properties: baton.v1.KvLayout.$Shape): baton.v1.KvLayout & baton.v1.KvLayout.$Shape;
             *   (properties?: baton.v1.KvLayout.$Properties): baton.v1.KvLayout;
             * }}
             */
            KvLayout.create = function(properties) {
                return new KvLayout(properties);
            };

            /**
             * Encodes the specified KvLayout message. Does not implicitly {@link baton.v1.KvLayout.verify|verify} messages.
             * @function encode
             * @memberof baton.v1.KvLayout
             * @static
             * @param {baton.v1.KvLayout.$Properties} message KvLayout message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            KvLayout.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.modelRevision != null && $Object.hasOwnProperty.call(message, "modelRevision") && message.modelRevision !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.modelRevision);
                if (message.dtype != null && $Object.hasOwnProperty.call(message, "dtype") && message.dtype !== "")
                    writer.uint32(/* id 2, wireType 2 =*/18).string(message.dtype);
                if (message.layers != null && $Object.hasOwnProperty.call(message, "layers") && message.layers !== 0)
                    writer.uint32(/* id 3, wireType 0 =*/24).uint32(message.layers);
                if (message.ranks != null && $Object.hasOwnProperty.call(message, "ranks") && message.ranks !== 0)
                    writer.uint32(/* id 4, wireType 0 =*/32).uint32(message.ranks);
                if (message.blockTokens != null && $Object.hasOwnProperty.call(message, "blockTokens") && message.blockTokens !== 0)
                    writer.uint32(/* id 5, wireType 0 =*/40).uint32(message.blockTokens);
                if (message.connector != null && $Object.hasOwnProperty.call(message, "connector") && message.connector !== "")
                    writer.uint32(/* id 6, wireType 2 =*/50).string(message.connector);
                if (message.connectorVersion != null && $Object.hasOwnProperty.call(message, "connectorVersion") && message.connectorVersion !== "")
                    writer.uint32(/* id 7, wireType 2 =*/58).string(message.connectorVersion);
                if (message.bytesPerToken != null && $Object.hasOwnProperty.call(message, "bytesPerToken") && message.bytesPerToken !== 0)
                    writer.uint32(/* id 8, wireType 0 =*/64).uint32(message.bytesPerToken);
                if (message.segmentBytes != null && $Object.hasOwnProperty.call(message, "segmentBytes") && message.segmentBytes !== 0)
                    writer.uint32(/* id 9, wireType 0 =*/72).uint32(message.segmentBytes);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a KvLayout message from the specified reader or buffer.
             * @function decode
             * @memberof baton.v1.KvLayout
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {baton.v1.KvLayout & baton.v1.KvLayout.$Shape} KvLayout
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            KvLayout.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.baton.v1.KvLayout();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.modelRevision = value;
                            else
                                delete message.modelRevision;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.dtype = value;
                            else
                                delete message.dtype;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.layers = value;
                            else
                                delete message.layers;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.ranks = value;
                            else
                                delete message.ranks;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.blockTokens = value;
                            else
                                delete message.blockTokens;
                            continue;
                        }
                    case 6: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.connector = value;
                            else
                                delete message.connector;
                            continue;
                        }
                    case 7: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.connectorVersion = value;
                            else
                                delete message.connectorVersion;
                            continue;
                        }
                    case 8: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.bytesPerToken = value;
                            else
                                delete message.bytesPerToken;
                            continue;
                        }
                    case 9: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.segmentBytes = value;
                            else
                                delete message.segmentBytes;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return KvLayout;
        })();

        v1.MeetingPoint = (function() {

            /**
             * Properties of a MeetingPoint.
             * @typedef {Object} baton.v1.MeetingPoint.$Properties
             * @property {string|null} [host] MeetingPoint host
             * @property {number|null} [port] MeetingPoint port
             * @property {Array.<string>|null} [engineIds] MeetingPoint engineIds
             * @property {number|null} [tensorRanks] MeetingPoint tensorRanks
             * @property {number|null} [pipelineRanks] MeetingPoint pipelineRanks
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a MeetingPoint.
             * @memberof baton.v1
             * @interface IMeetingPoint
             * @augments baton.v1.MeetingPoint.$Properties
             * @deprecated Use baton.v1.MeetingPoint.$Properties instead.
             */

            /**
             * Shape of a MeetingPoint.
             * @typedef {baton.v1.MeetingPoint.$Properties} baton.v1.MeetingPoint.$Shape
             */

            /**
             * Constructs a new MeetingPoint.
             * @memberof baton.v1
             * @classdesc Represents a MeetingPoint.
             * @constructor
             * @param {baton.v1.MeetingPoint.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const MeetingPoint = function (properties) {
                this.engineIds = [];
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * MeetingPoint host.
             * @member {string} host
             * @memberof baton.v1.MeetingPoint
             * @instance
             */
            MeetingPoint.prototype.host = "";

            /**
             * MeetingPoint port.
             * @member {number} port
             * @memberof baton.v1.MeetingPoint
             * @instance
             */
            MeetingPoint.prototype.port = 0;

            /**
             * MeetingPoint engineIds.
             * @member {Array.<string>} engineIds
             * @memberof baton.v1.MeetingPoint
             * @instance
             */
            MeetingPoint.prototype.engineIds = $util.emptyArray;

            /**
             * MeetingPoint tensorRanks.
             * @member {number} tensorRanks
             * @memberof baton.v1.MeetingPoint
             * @instance
             */
            MeetingPoint.prototype.tensorRanks = 0;

            /**
             * MeetingPoint pipelineRanks.
             * @member {number} pipelineRanks
             * @memberof baton.v1.MeetingPoint
             * @instance
             */
            MeetingPoint.prototype.pipelineRanks = 0;

            /**
             * Creates a new MeetingPoint instance using the specified properties.
             * @function create
             * @memberof baton.v1.MeetingPoint
             * @static
             * @param {baton.v1.MeetingPoint.$Properties=} [properties] Properties to set
             * @returns {baton.v1.MeetingPoint} MeetingPoint instance
             * @type {{
             *   (properties: baton.v1.MeetingPoint.$Shape): baton.v1.MeetingPoint & baton.v1.MeetingPoint.$Shape;
             *   (properties?: baton.v1.MeetingPoint.$Properties): baton.v1.MeetingPoint;
             * }}
             */
            MeetingPoint.create = function(properties) {
                return new MeetingPoint(properties);
            };

            /**
             * Encodes the specified MeetingPoint message. Does not implicitly {@link baton.v1.MeetingPoint.verify|verify} messages.
             * @function encode
             * @memberof baton.v1.MeetingPoint
             * @static
             * @param {baton.v1.MeetingPoint.$Properties} message MeetingPoint message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            MeetingPoint.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.host != null && $Object.hasOwnProperty.call(message, "host") && message.host !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.host);
                if (message.port != null && $Object.hasOwnProperty.call(message, "port") && message.port !== 0)
                    writer.uint32(/* id 2, wireType 0 =*/16).uint32(message.port);
                if (message.engineIds != null && message.engineIds.length)
                    for (let i = 0; i < message.engineIds.length; ++i)
                        writer.uint32(/* id 3, wireType 2 =*/26).string(message.engineIds[i]);
                if (message.tensorRanks != null && $Object.hasOwnProperty.call(message, "tensorRanks") && message.tensorRanks !== 0)
                    writer.uint32(/* id 4, wireType 0 =*/32).uint32(message.tensorRanks);
                if (message.pipelineRanks != null && $Object.hasOwnProperty.call(message, "pipelineRanks") && message.pipelineRanks !== 0)
                    writer.uint32(/* id 5, wireType 0 =*/40).uint32(message.pipelineRanks);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a MeetingPoint message from the specified reader or buffer.
             * @function decode
             * @memberof baton.v1.MeetingPoint
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {baton.v1.MeetingPoint & baton.v1.MeetingPoint.$Shape} MeetingPoint
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            MeetingPoint.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.baton.v1.MeetingPoint();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.host = value;
                            else
                                delete message.host;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.port = value;
                            else
                                delete message.port;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if (!(message.engineIds && message.engineIds.length))
                                message.engineIds = [];
                            message.engineIds.push(reader.stringVerify());
                            continue;
                        }
                    case 4: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.tensorRanks = value;
                            else
                                delete message.tensorRanks;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.pipelineRanks = value;
                            else
                                delete message.pipelineRanks;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return MeetingPoint;
        })();

        v1.Adapter = (function() {

            /**
             * Properties of an Adapter.
             * @typedef {Object} baton.v1.Adapter.$Properties
             * @property {string|null} [name] Adapter name
             * @property {string|null} [revision] Adapter revision
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of an Adapter.
             * @memberof baton.v1
             * @interface IAdapter
             * @augments baton.v1.Adapter.$Properties
             * @deprecated Use baton.v1.Adapter.$Properties instead.
             */

            /**
             * Shape of an Adapter.
             * @typedef {baton.v1.Adapter.$Properties} baton.v1.Adapter.$Shape
             */

            /**
             * Constructs a new Adapter.
             * @memberof baton.v1
             * @classdesc Represents an Adapter.
             * @constructor
             * @param {baton.v1.Adapter.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const Adapter = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * Adapter name.
             * @member {string} name
             * @memberof baton.v1.Adapter
             * @instance
             */
            Adapter.prototype.name = "";

            /**
             * Adapter revision.
             * @member {string} revision
             * @memberof baton.v1.Adapter
             * @instance
             */
            Adapter.prototype.revision = "";

            /**
             * Creates a new Adapter instance using the specified properties.
             * @function create
             * @memberof baton.v1.Adapter
             * @static
             * @param {baton.v1.Adapter.$Properties=} [properties] Properties to set
             * @returns {baton.v1.Adapter} Adapter instance
             * @type {{
             *   (properties: baton.v1.Adapter.$Shape): baton.v1.Adapter & baton.v1.Adapter.$Shape;
             *   (properties?: baton.v1.Adapter.$Properties): baton.v1.Adapter;
             * }}
             */
            Adapter.create = function(properties) {
                return new Adapter(properties);
            };

            /**
             * Encodes the specified Adapter message. Does not implicitly {@link baton.v1.Adapter.verify|verify} messages.
             * @function encode
             * @memberof baton.v1.Adapter
             * @static
             * @param {baton.v1.Adapter.$Properties} message Adapter message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            Adapter.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.name != null && $Object.hasOwnProperty.call(message, "name") && message.name !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.name);
                if (message.revision != null && $Object.hasOwnProperty.call(message, "revision") && message.revision !== "")
                    writer.uint32(/* id 2, wireType 2 =*/18).string(message.revision);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes an Adapter message from the specified reader or buffer.
             * @function decode
             * @memberof baton.v1.Adapter
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {baton.v1.Adapter & baton.v1.Adapter.$Shape} Adapter
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            Adapter.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.baton.v1.Adapter();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.name = value;
                            else
                                delete message.name;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.revision = value;
                            else
                                delete message.revision;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return Adapter;
        })();

        v1.Capabilities = (function() {

            /**
             * Properties of a Capabilities.
             * @typedef {Object} baton.v1.Capabilities.$Properties
             * @property {boolean|null} [pullPrefix] Capabilities pullPrefix
             * @property {boolean|null} [exportPrefix] Capabilities exportPrefix
             * @property {boolean|null} [overlapHandover] Capabilities overlapHandover
             * @property {boolean|null} [firstTokenFromPrefill] Capabilities firstTokenFromPrefill
             * @property {boolean|null} [takeSalt] Capabilities takeSalt
             * @property {boolean|null} [takeTokens] Capabilities takeTokens
             * @property {boolean|null} [release] Capabilities release
             * @property {boolean|null} [migrate] Capabilities migrate
             * @property {boolean|null} [callTools] Capabilities callTools
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a Capabilities.
             * @memberof baton.v1
             * @interface ICapabilities
             * @augments baton.v1.Capabilities.$Properties
             * @deprecated Use baton.v1.Capabilities.$Properties instead.
             */

            /**
             * Shape of a Capabilities.
             * @typedef {baton.v1.Capabilities.$Properties} baton.v1.Capabilities.$Shape
             */

            /**
             * Constructs a new Capabilities.
             * @memberof baton.v1
             * @classdesc Represents a Capabilities.
             * @constructor
             * @param {baton.v1.Capabilities.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const Capabilities = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * Capabilities pullPrefix.
             * @member {boolean} pullPrefix
             * @memberof baton.v1.Capabilities
             * @instance
             */
            Capabilities.prototype.pullPrefix = false;

            /**
             * Capabilities exportPrefix.
             * @member {boolean} exportPrefix
             * @memberof baton.v1.Capabilities
             * @instance
             */
            Capabilities.prototype.exportPrefix = false;

            /**
             * Capabilities overlapHandover.
             * @member {boolean} overlapHandover
             * @memberof baton.v1.Capabilities
             * @instance
             */
            Capabilities.prototype.overlapHandover = false;

            /**
             * Capabilities firstTokenFromPrefill.
             * @member {boolean} firstTokenFromPrefill
             * @memberof baton.v1.Capabilities
             * @instance
             */
            Capabilities.prototype.firstTokenFromPrefill = false;

            /**
             * Capabilities takeSalt.
             * @member {boolean} takeSalt
             * @memberof baton.v1.Capabilities
             * @instance
             */
            Capabilities.prototype.takeSalt = false;

            /**
             * Capabilities takeTokens.
             * @member {boolean} takeTokens
             * @memberof baton.v1.Capabilities
             * @instance
             */
            Capabilities.prototype.takeTokens = false;

            /**
             * Capabilities release.
             * @member {boolean} release
             * @memberof baton.v1.Capabilities
             * @instance
             */
            Capabilities.prototype.release = false;

            /**
             * Capabilities migrate.
             * @member {boolean} migrate
             * @memberof baton.v1.Capabilities
             * @instance
             */
            Capabilities.prototype.migrate = false;

            /**
             * Capabilities callTools.
             * @member {boolean} callTools
             * @memberof baton.v1.Capabilities
             * @instance
             */
            Capabilities.prototype.callTools = false;

            /**
             * Creates a new Capabilities instance using the specified properties.
             * @function create
             * @memberof baton.v1.Capabilities
             * @static
             * @param {baton.v1.Capabilities.$Properties=} [properties] Properties to set
             * @returns {baton.v1.Capabilities} Capabilities instance
             * @type {{
             *   (properties: baton.v1.Capabilities.$Shape): baton.v1.Capabilities & baton.v1.Capabilities.$Shape;
             *   (properties?: baton.v1.Capabilities.$Properties): baton.v1.Capabilities;
             * }}
             */
            Capabilities.create = function(properties) {
                return new Capabilities(properties);
            };

            /**
             * Encodes the specified Capabilities message. Does not implicitly {@link baton.v1.Capabilities.verify|verify} messages.
             * @function encode
             * @memberof baton.v1.Capabilities
             * @static
             * @param {baton.v1.Capabilities.$Properties} message Capabilities message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            Capabilities.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.pullPrefix != null && $Object.hasOwnProperty.call(message, "pullPrefix") && message.pullPrefix !== false)
                    writer.uint32(/* id 1, wireType 0 =*/8).bool(message.pullPrefix);
                if (message.exportPrefix != null && $Object.hasOwnProperty.call(message, "exportPrefix") && message.exportPrefix !== false)
                    writer.uint32(/* id 2, wireType 0 =*/16).bool(message.exportPrefix);
                if (message.overlapHandover != null && $Object.hasOwnProperty.call(message, "overlapHandover") && message.overlapHandover !== false)
                    writer.uint32(/* id 3, wireType 0 =*/24).bool(message.overlapHandover);
                if (message.firstTokenFromPrefill != null && $Object.hasOwnProperty.call(message, "firstTokenFromPrefill") && message.firstTokenFromPrefill !== false)
                    writer.uint32(/* id 4, wireType 0 =*/32).bool(message.firstTokenFromPrefill);
                if (message.takeSalt != null && $Object.hasOwnProperty.call(message, "takeSalt") && message.takeSalt !== false)
                    writer.uint32(/* id 5, wireType 0 =*/40).bool(message.takeSalt);
                if (message.takeTokens != null && $Object.hasOwnProperty.call(message, "takeTokens") && message.takeTokens !== false)
                    writer.uint32(/* id 6, wireType 0 =*/48).bool(message.takeTokens);
                if (message.release != null && $Object.hasOwnProperty.call(message, "release") && message.release !== false)
                    writer.uint32(/* id 7, wireType 0 =*/56).bool(message.release);
                if (message.migrate != null && $Object.hasOwnProperty.call(message, "migrate") && message.migrate !== false)
                    writer.uint32(/* id 8, wireType 0 =*/64).bool(message.migrate);
                if (message.callTools != null && $Object.hasOwnProperty.call(message, "callTools") && message.callTools !== false)
                    writer.uint32(/* id 9, wireType 0 =*/72).bool(message.callTools);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a Capabilities message from the specified reader or buffer.
             * @function decode
             * @memberof baton.v1.Capabilities
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {baton.v1.Capabilities & baton.v1.Capabilities.$Shape} Capabilities
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            Capabilities.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.baton.v1.Capabilities();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.bool())
                                message.pullPrefix = value;
                            else
                                delete message.pullPrefix;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.bool())
                                message.exportPrefix = value;
                            else
                                delete message.exportPrefix;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.bool())
                                message.overlapHandover = value;
                            else
                                delete message.overlapHandover;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.bool())
                                message.firstTokenFromPrefill = value;
                            else
                                delete message.firstTokenFromPrefill;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.bool())
                                message.takeSalt = value;
                            else
                                delete message.takeSalt;
                            continue;
                        }
                    case 6: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.bool())
                                message.takeTokens = value;
                            else
                                delete message.takeTokens;
                            continue;
                        }
                    case 7: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.bool())
                                message.release = value;
                            else
                                delete message.release;
                            continue;
                        }
                    case 8: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.bool())
                                message.migrate = value;
                            else
                                delete message.migrate;
                            continue;
                        }
                    case 9: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.bool())
                                message.callTools = value;
                            else
                                delete message.callTools;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return Capabilities;
        })();

        v1.Worker = (function() {

            /**
             * Properties of a Worker.
             * @typedef {Object} baton.v1.Worker.$Properties
             * @property {string|null} [workerId] Worker workerId
             * @property {baton.v1.Role|null} [role] Worker role
             * @property {string|null} [model] Worker model
             * @property {string|null} [engine] Worker engine
             * @property {string|null} [engineUrl] Worker engineUrl
             * @property {string|null} [transferAddress] Worker transferAddress
             * @property {baton.v1.KvLayout.$Properties|null} [layout] Worker layout
             * @property {string|null} [tokenization] Worker tokenization
             * @property {number|null} [segmentTokens] Worker segmentTokens
             * @property {number|null} [maxModelTokens] Worker maxModelTokens
             * @property {number|null} [kvCapacityBlocks] Worker kvCapacityBlocks
             * @property {number|null} [maxSequences] Worker maxSequences
             * @property {baton.v1.Capabilities.$Properties|null} [capabilities] Worker capabilities
             * @property {number|null} [dramCapacitySegments] Worker dramCapacitySegments
             * @property {boolean|null} [hybrid] Worker hybrid
             * @property {baton.v1.MeetingPoint.$Properties|null} [meetingPoint] Worker meetingPoint
             * @property {boolean|null} [pairOnly] Worker pairOnly
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a Worker.
             * @memberof baton.v1
             * @interface IWorker
             * @augments baton.v1.Worker.$Properties
             * @deprecated Use baton.v1.Worker.$Properties instead.
             */

            /**
             * Shape of a Worker.
             * @typedef {baton.v1.Worker.$Properties} baton.v1.Worker.$Shape
             */

            /**
             * Constructs a new Worker.
             * @memberof baton.v1
             * @classdesc Represents a Worker.
             * @constructor
             * @param {baton.v1.Worker.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const Worker = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * Worker workerId.
             * @member {string} workerId
             * @memberof baton.v1.Worker
             * @instance
             */
            Worker.prototype.workerId = "";

            /**
             * Worker role.
             * @member {baton.v1.Role} role
             * @memberof baton.v1.Worker
             * @instance
             */
            Worker.prototype.role = 0;

            /**
             * Worker model.
             * @member {string} model
             * @memberof baton.v1.Worker
             * @instance
             */
            Worker.prototype.model = "";

            /**
             * Worker engine.
             * @member {string} engine
             * @memberof baton.v1.Worker
             * @instance
             */
            Worker.prototype.engine = "";

            /**
             * Worker engineUrl.
             * @member {string} engineUrl
             * @memberof baton.v1.Worker
             * @instance
             */
            Worker.prototype.engineUrl = "";

            /**
             * Worker transferAddress.
             * @member {string} transferAddress
             * @memberof baton.v1.Worker
             * @instance
             */
            Worker.prototype.transferAddress = "";

            /**
             * Worker layout.
             * @member {baton.v1.KvLayout.$Properties|null|undefined} layout
             * @memberof baton.v1.Worker
             * @instance
             */
            Worker.prototype.layout = null;

            /**
             * Worker tokenization.
             * @member {string} tokenization
             * @memberof baton.v1.Worker
             * @instance
             */
            Worker.prototype.tokenization = "";

            /**
             * Worker segmentTokens.
             * @member {number} segmentTokens
             * @memberof baton.v1.Worker
             * @instance
             */
            Worker.prototype.segmentTokens = 0;

            /**
             * Worker maxModelTokens.
             * @member {number} maxModelTokens
             * @memberof baton.v1.Worker
             * @instance
             */
            Worker.prototype.maxModelTokens = 0;

            /**
             * Worker kvCapacityBlocks.
             * @member {number} kvCapacityBlocks
             * @memberof baton.v1.Worker
             * @instance
             */
            Worker.prototype.kvCapacityBlocks = 0;

            /**
             * Worker maxSequences.
             * @member {number} maxSequences
             * @memberof baton.v1.Worker
             * @instance
             */
            Worker.prototype.maxSequences = 0;

            /**
             * Worker capabilities.
             * @member {baton.v1.Capabilities.$Properties|null|undefined} capabilities
             * @memberof baton.v1.Worker
             * @instance
             */
            Worker.prototype.capabilities = null;

            /**
             * Worker dramCapacitySegments.
             * @member {number} dramCapacitySegments
             * @memberof baton.v1.Worker
             * @instance
             */
            Worker.prototype.dramCapacitySegments = 0;

            /**
             * Worker hybrid.
             * @member {boolean} hybrid
             * @memberof baton.v1.Worker
             * @instance
             */
            Worker.prototype.hybrid = false;

            /**
             * Worker meetingPoint.
             * @member {baton.v1.MeetingPoint.$Properties|null|undefined} meetingPoint
             * @memberof baton.v1.Worker
             * @instance
             */
            Worker.prototype.meetingPoint = null;

            /**
             * Worker pairOnly.
             * @member {boolean} pairOnly
             * @memberof baton.v1.Worker
             * @instance
             */
            Worker.prototype.pairOnly = false;

            /**
             * Creates a new Worker instance using the specified properties.
             * @function create
             * @memberof baton.v1.Worker
             * @static
             * @param {baton.v1.Worker.$Properties=} [properties] Properties to set
             * @returns {baton.v1.Worker} Worker instance
             * @type {{
             *   (properties: baton.v1.Worker.$Shape): baton.v1.Worker & baton.v1.Worker.$Shape;
             *   (properties?: baton.v1.Worker.$Properties): baton.v1.Worker;
             * }}
             */
            Worker.create = function(properties) {
                return new Worker(properties);
            };

            /**
             * Encodes the specified Worker message. Does not implicitly {@link baton.v1.Worker.verify|verify} messages.
             * @function encode
             * @memberof baton.v1.Worker
             * @static
             * @param {baton.v1.Worker.$Properties} message Worker message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            Worker.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.workerId != null && $Object.hasOwnProperty.call(message, "workerId") && message.workerId !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.workerId);
                if (message.role != null && $Object.hasOwnProperty.call(message, "role") && message.role !== 0)
                    writer.uint32(/* id 2, wireType 0 =*/16).int32(message.role);
                if (message.model != null && $Object.hasOwnProperty.call(message, "model") && message.model !== "")
                    writer.uint32(/* id 3, wireType 2 =*/26).string(message.model);
                if (message.engine != null && $Object.hasOwnProperty.call(message, "engine") && message.engine !== "")
                    writer.uint32(/* id 4, wireType 2 =*/34).string(message.engine);
                if (message.engineUrl != null && $Object.hasOwnProperty.call(message, "engineUrl") && message.engineUrl !== "")
                    writer.uint32(/* id 5, wireType 2 =*/42).string(message.engineUrl);
                if (message.transferAddress != null && $Object.hasOwnProperty.call(message, "transferAddress") && message.transferAddress !== "")
                    writer.uint32(/* id 6, wireType 2 =*/50).string(message.transferAddress);
                if (message.layout != null && $Object.hasOwnProperty.call(message, "layout"))
                    $root.baton.v1.KvLayout.encode(message.layout, writer.uint32(/* id 7, wireType 2 =*/58).fork(), _depth + 1).ldelim();
                if (message.tokenization != null && $Object.hasOwnProperty.call(message, "tokenization") && message.tokenization !== "")
                    writer.uint32(/* id 8, wireType 2 =*/66).string(message.tokenization);
                if (message.segmentTokens != null && $Object.hasOwnProperty.call(message, "segmentTokens") && message.segmentTokens !== 0)
                    writer.uint32(/* id 9, wireType 0 =*/72).uint32(message.segmentTokens);
                if (message.maxModelTokens != null && $Object.hasOwnProperty.call(message, "maxModelTokens") && message.maxModelTokens !== 0)
                    writer.uint32(/* id 10, wireType 0 =*/80).uint32(message.maxModelTokens);
                if (message.kvCapacityBlocks != null && $Object.hasOwnProperty.call(message, "kvCapacityBlocks") && message.kvCapacityBlocks !== 0)
                    writer.uint32(/* id 11, wireType 0 =*/88).uint32(message.kvCapacityBlocks);
                if (message.maxSequences != null && $Object.hasOwnProperty.call(message, "maxSequences") && message.maxSequences !== 0)
                    writer.uint32(/* id 12, wireType 0 =*/96).uint32(message.maxSequences);
                if (message.capabilities != null && $Object.hasOwnProperty.call(message, "capabilities"))
                    $root.baton.v1.Capabilities.encode(message.capabilities, writer.uint32(/* id 13, wireType 2 =*/106).fork(), _depth + 1).ldelim();
                if (message.dramCapacitySegments != null && $Object.hasOwnProperty.call(message, "dramCapacitySegments") && message.dramCapacitySegments !== 0)
                    writer.uint32(/* id 14, wireType 0 =*/112).uint32(message.dramCapacitySegments);
                if (message.hybrid != null && $Object.hasOwnProperty.call(message, "hybrid") && message.hybrid !== false)
                    writer.uint32(/* id 15, wireType 0 =*/120).bool(message.hybrid);
                if (message.meetingPoint != null && $Object.hasOwnProperty.call(message, "meetingPoint"))
                    $root.baton.v1.MeetingPoint.encode(message.meetingPoint, writer.uint32(/* id 16, wireType 2 =*/130).fork(), _depth + 1).ldelim();
                if (message.pairOnly != null && $Object.hasOwnProperty.call(message, "pairOnly") && message.pairOnly !== false)
                    writer.uint32(/* id 17, wireType 0 =*/136).bool(message.pairOnly);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a Worker message from the specified reader or buffer.
             * @function decode
             * @memberof baton.v1.Worker
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {baton.v1.Worker & baton.v1.Worker.$Shape} Worker
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            Worker.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.baton.v1.Worker();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.workerId = value;
                            else
                                delete message.workerId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.role = value;
                            else
                                delete message.role;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.model = value;
                            else
                                delete message.model;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.engine = value;
                            else
                                delete message.engine;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.engineUrl = value;
                            else
                                delete message.engineUrl;
                            continue;
                        }
                    case 6: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.transferAddress = value;
                            else
                                delete message.transferAddress;
                            continue;
                        }
                    case 7: {
                            if (wireType !== 2)
                                break;
                            message.layout = $root.baton.v1.KvLayout.decode(reader, reader.size(), $undefined, _depth + 1, message.layout);
                            continue;
                        }
                    case 8: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.tokenization = value;
                            else
                                delete message.tokenization;
                            continue;
                        }
                    case 9: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.segmentTokens = value;
                            else
                                delete message.segmentTokens;
                            continue;
                        }
                    case 10: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.maxModelTokens = value;
                            else
                                delete message.maxModelTokens;
                            continue;
                        }
                    case 11: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.kvCapacityBlocks = value;
                            else
                                delete message.kvCapacityBlocks;
                            continue;
                        }
                    case 12: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.maxSequences = value;
                            else
                                delete message.maxSequences;
                            continue;
                        }
                    case 13: {
                            if (wireType !== 2)
                                break;
                            message.capabilities = $root.baton.v1.Capabilities.decode(reader, reader.size(), $undefined, _depth + 1, message.capabilities);
                            continue;
                        }
                    case 14: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.dramCapacitySegments = value;
                            else
                                delete message.dramCapacitySegments;
                            continue;
                        }
                    case 15: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.bool())
                                message.hybrid = value;
                            else
                                delete message.hybrid;
                            continue;
                        }
                    case 16: {
                            if (wireType !== 2)
                                break;
                            message.meetingPoint = $root.baton.v1.MeetingPoint.decode(reader, reader.size(), $undefined, _depth + 1, message.meetingPoint);
                            continue;
                        }
                    case 17: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.bool())
                                message.pairOnly = value;
                            else
                                delete message.pairOnly;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return Worker;
        })();

        /**
         * WorkerState enum.
         * @name baton.v1.WorkerState
         * @enum {number}
         * @property {number} WORKER_STATE_UNSPECIFIED=0 WORKER_STATE_UNSPECIFIED value
         * @property {number} WORKER_STATE_STARTING=1 WORKER_STATE_STARTING value
         * @property {number} WORKER_STATE_READY=2 WORKER_STATE_READY value
         * @property {number} WORKER_STATE_DRAINING=3 WORKER_STATE_DRAINING value
         * @property {number} WORKER_STATE_LEAVING=4 WORKER_STATE_LEAVING value
         */
        v1.WorkerState = (function() {
            const valuesById = $Object.create(null), values = $Object.create(valuesById);
            values[valuesById[0] = "WORKER_STATE_UNSPECIFIED"] = 0;
            values[valuesById[1] = "WORKER_STATE_STARTING"] = 1;
            values[valuesById[2] = "WORKER_STATE_READY"] = 2;
            values[valuesById[3] = "WORKER_STATE_DRAINING"] = 3;
            values[valuesById[4] = "WORKER_STATE_LEAVING"] = 4;
            return values;
        })();

        v1.Load = (function() {

            /**
             * Properties of a Load.
             * @typedef {Object} baton.v1.Load.$Properties
             * @property {number|null} [rank] Load rank
             * @property {number|null} [runningSequences] Load runningSequences
             * @property {number|null} [waitingSequences] Load waitingSequences
             * @property {number|null} [pendingPrefillTokens] Load pendingPrefillTokens
             * @property {number|null} [kvUsedBlocks] Load kvUsedBlocks
             * @property {number|null} [prefillTokensPerSec] Load prefillTokensPerSec
             * @property {number|null} [decodeTokensPerSec] Load decodeTokensPerSec
             * @property {number|null} [report] Load report
             * @property {number|null} [dramBytesPerSec] Load dramBytesPerSec
             * @property {number|null} [ssdBytesPerSec] Load ssdBytesPerSec
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a Load.
             * @memberof baton.v1
             * @interface ILoad
             * @augments baton.v1.Load.$Properties
             * @deprecated Use baton.v1.Load.$Properties instead.
             */

            /**
             * Shape of a Load.
             * @typedef {baton.v1.Load.$Properties} baton.v1.Load.$Shape
             */

            /**
             * Constructs a new Load.
             * @memberof baton.v1
             * @classdesc Represents a Load.
             * @constructor
             * @param {baton.v1.Load.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const Load = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * Load rank.
             * @member {number} rank
             * @memberof baton.v1.Load
             * @instance
             */
            Load.prototype.rank = 0;

            /**
             * Load runningSequences.
             * @member {number} runningSequences
             * @memberof baton.v1.Load
             * @instance
             */
            Load.prototype.runningSequences = 0;

            /**
             * Load waitingSequences.
             * @member {number} waitingSequences
             * @memberof baton.v1.Load
             * @instance
             */
            Load.prototype.waitingSequences = 0;

            /**
             * Load pendingPrefillTokens.
             * @member {number} pendingPrefillTokens
             * @memberof baton.v1.Load
             * @instance
             */
            Load.prototype.pendingPrefillTokens = 0;

            /**
             * Load kvUsedBlocks.
             * @member {number} kvUsedBlocks
             * @memberof baton.v1.Load
             * @instance
             */
            Load.prototype.kvUsedBlocks = 0;

            /**
             * Load prefillTokensPerSec.
             * @member {number} prefillTokensPerSec
             * @memberof baton.v1.Load
             * @instance
             */
            Load.prototype.prefillTokensPerSec = 0;

            /**
             * Load decodeTokensPerSec.
             * @member {number} decodeTokensPerSec
             * @memberof baton.v1.Load
             * @instance
             */
            Load.prototype.decodeTokensPerSec = 0;

            /**
             * Load report.
             * @member {number} report
             * @memberof baton.v1.Load
             * @instance
             */
            Load.prototype.report = 0;

            /**
             * Load dramBytesPerSec.
             * @member {number} dramBytesPerSec
             * @memberof baton.v1.Load
             * @instance
             */
            Load.prototype.dramBytesPerSec = 0;

            /**
             * Load ssdBytesPerSec.
             * @member {number} ssdBytesPerSec
             * @memberof baton.v1.Load
             * @instance
             */
            Load.prototype.ssdBytesPerSec = 0;

            /**
             * Creates a new Load instance using the specified properties.
             * @function create
             * @memberof baton.v1.Load
             * @static
             * @param {baton.v1.Load.$Properties=} [properties] Properties to set
             * @returns {baton.v1.Load} Load instance
             * @type {{
             *   (properties: baton.v1.Load.$Shape): baton.v1.Load & baton.v1.Load.$Shape;
             *   (properties?: baton.v1.Load.$Properties): baton.v1.Load;
             * }}
             */
            Load.create = function(properties) {
                return new Load(properties);
            };

            /**
             * Encodes the specified Load message. Does not implicitly {@link baton.v1.Load.verify|verify} messages.
             * @function encode
             * @memberof baton.v1.Load
             * @static
             * @param {baton.v1.Load.$Properties} message Load message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            Load.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.rank != null && $Object.hasOwnProperty.call(message, "rank") && message.rank !== 0)
                    writer.uint32(/* id 1, wireType 0 =*/8).uint32(message.rank);
                if (message.runningSequences != null && $Object.hasOwnProperty.call(message, "runningSequences") && message.runningSequences !== 0)
                    writer.uint32(/* id 2, wireType 0 =*/16).uint32(message.runningSequences);
                if (message.waitingSequences != null && $Object.hasOwnProperty.call(message, "waitingSequences") && message.waitingSequences !== 0)
                    writer.uint32(/* id 3, wireType 0 =*/24).uint32(message.waitingSequences);
                if (message.pendingPrefillTokens != null && $Object.hasOwnProperty.call(message, "pendingPrefillTokens") && message.pendingPrefillTokens !== 0)
                    writer.uint32(/* id 4, wireType 0 =*/32).uint32(message.pendingPrefillTokens);
                if (message.kvUsedBlocks != null && $Object.hasOwnProperty.call(message, "kvUsedBlocks") && message.kvUsedBlocks !== 0)
                    writer.uint32(/* id 5, wireType 0 =*/40).uint32(message.kvUsedBlocks);
                if (message.prefillTokensPerSec != null && $Object.hasOwnProperty.call(message, "prefillTokensPerSec") && !$Object.is(message.prefillTokensPerSec, 0))
                    writer.uint32(/* id 6, wireType 1 =*/49).double(message.prefillTokensPerSec);
                if (message.decodeTokensPerSec != null && $Object.hasOwnProperty.call(message, "decodeTokensPerSec") && !$Object.is(message.decodeTokensPerSec, 0))
                    writer.uint32(/* id 7, wireType 1 =*/57).double(message.decodeTokensPerSec);
                if (message.report != null && $Object.hasOwnProperty.call(message, "report") && message.report !== 0)
                    writer.uint32(/* id 8, wireType 0 =*/64).uint32(message.report);
                if (message.dramBytesPerSec != null && $Object.hasOwnProperty.call(message, "dramBytesPerSec") && !$Object.is(message.dramBytesPerSec, 0))
                    writer.uint32(/* id 9, wireType 1 =*/73).double(message.dramBytesPerSec);
                if (message.ssdBytesPerSec != null && $Object.hasOwnProperty.call(message, "ssdBytesPerSec") && !$Object.is(message.ssdBytesPerSec, 0))
                    writer.uint32(/* id 10, wireType 1 =*/81).double(message.ssdBytesPerSec);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a Load message from the specified reader or buffer.
             * @function decode
             * @memberof baton.v1.Load
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {baton.v1.Load & baton.v1.Load.$Shape} Load
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            Load.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.baton.v1.Load();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.rank = value;
                            else
                                delete message.rank;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.runningSequences = value;
                            else
                                delete message.runningSequences;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.waitingSequences = value;
                            else
                                delete message.waitingSequences;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.pendingPrefillTokens = value;
                            else
                                delete message.pendingPrefillTokens;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.kvUsedBlocks = value;
                            else
                                delete message.kvUsedBlocks;
                            continue;
                        }
                    case 6: {
                            if (wireType !== 1)
                                break;
                            if (!$Object.is(value = reader.double(), 0))
                                message.prefillTokensPerSec = value;
                            else
                                delete message.prefillTokensPerSec;
                            continue;
                        }
                    case 7: {
                            if (wireType !== 1)
                                break;
                            if (!$Object.is(value = reader.double(), 0))
                                message.decodeTokensPerSec = value;
                            else
                                delete message.decodeTokensPerSec;
                            continue;
                        }
                    case 8: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.report = value;
                            else
                                delete message.report;
                            continue;
                        }
                    case 9: {
                            if (wireType !== 1)
                                break;
                            if (!$Object.is(value = reader.double(), 0))
                                message.dramBytesPerSec = value;
                            else
                                delete message.dramBytesPerSec;
                            continue;
                        }
                    case 10: {
                            if (wireType !== 1)
                                break;
                            if (!$Object.is(value = reader.double(), 0))
                                message.ssdBytesPerSec = value;
                            else
                                delete message.ssdBytesPerSec;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return Load;
        })();

        v1.TierState = (function() {

            /**
             * Properties of a TierState.
             * @typedef {Object} baton.v1.TierState.$Properties
             * @property {baton.v1.Tier|null} [tier] TierState tier
             * @property {number|null} [rank] TierState rank
             * @property {number|null} [segments] TierState segments
             * @property {number|null} [capacitySegments] TierState capacitySegments
             * @property {Uint8Array|null} [xor] TierState xor
             * @property {boolean|null} [resumePoints] TierState resumePoints
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a TierState.
             * @memberof baton.v1
             * @interface ITierState
             * @augments baton.v1.TierState.$Properties
             * @deprecated Use baton.v1.TierState.$Properties instead.
             */

            /**
             * Shape of a TierState.
             * @typedef {baton.v1.TierState.$Properties} baton.v1.TierState.$Shape
             */

            /**
             * Constructs a new TierState.
             * @memberof baton.v1
             * @classdesc Represents a TierState.
             * @constructor
             * @param {baton.v1.TierState.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const TierState = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * TierState tier.
             * @member {baton.v1.Tier} tier
             * @memberof baton.v1.TierState
             * @instance
             */
            TierState.prototype.tier = 0;

            /**
             * TierState rank.
             * @member {number} rank
             * @memberof baton.v1.TierState
             * @instance
             */
            TierState.prototype.rank = 0;

            /**
             * TierState segments.
             * @member {number} segments
             * @memberof baton.v1.TierState
             * @instance
             */
            TierState.prototype.segments = 0;

            /**
             * TierState capacitySegments.
             * @member {number} capacitySegments
             * @memberof baton.v1.TierState
             * @instance
             */
            TierState.prototype.capacitySegments = 0;

            /**
             * TierState xor.
             * @member {Uint8Array} xor
             * @memberof baton.v1.TierState
             * @instance
             */
            TierState.prototype.xor = $util.newBuffer([]);

            /**
             * TierState resumePoints.
             * @member {boolean} resumePoints
             * @memberof baton.v1.TierState
             * @instance
             */
            TierState.prototype.resumePoints = false;

            /**
             * Creates a new TierState instance using the specified properties.
             * @function create
             * @memberof baton.v1.TierState
             * @static
             * @param {baton.v1.TierState.$Properties=} [properties] Properties to set
             * @returns {baton.v1.TierState} TierState instance
             * @type {{
             *   (properties: baton.v1.TierState.$Shape): baton.v1.TierState & baton.v1.TierState.$Shape;
             *   (properties?: baton.v1.TierState.$Properties): baton.v1.TierState;
             * }}
             */
            TierState.create = function(properties) {
                return new TierState(properties);
            };

            /**
             * Encodes the specified TierState message. Does not implicitly {@link baton.v1.TierState.verify|verify} messages.
             * @function encode
             * @memberof baton.v1.TierState
             * @static
             * @param {baton.v1.TierState.$Properties} message TierState message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            TierState.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.tier != null && $Object.hasOwnProperty.call(message, "tier") && message.tier !== 0)
                    writer.uint32(/* id 1, wireType 0 =*/8).int32(message.tier);
                if (message.rank != null && $Object.hasOwnProperty.call(message, "rank") && message.rank !== 0)
                    writer.uint32(/* id 2, wireType 0 =*/16).uint32(message.rank);
                if (message.segments != null && $Object.hasOwnProperty.call(message, "segments") && message.segments !== 0)
                    writer.uint32(/* id 3, wireType 0 =*/24).uint32(message.segments);
                if (message.capacitySegments != null && $Object.hasOwnProperty.call(message, "capacitySegments") && message.capacitySegments !== 0)
                    writer.uint32(/* id 4, wireType 0 =*/32).uint32(message.capacitySegments);
                if (message.xor != null && $Object.hasOwnProperty.call(message, "xor") && message.xor.length)
                    writer.uint32(/* id 5, wireType 2 =*/42).bytes(message.xor);
                if (message.resumePoints != null && $Object.hasOwnProperty.call(message, "resumePoints") && message.resumePoints !== false)
                    writer.uint32(/* id 6, wireType 0 =*/48).bool(message.resumePoints);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a TierState message from the specified reader or buffer.
             * @function decode
             * @memberof baton.v1.TierState
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {baton.v1.TierState & baton.v1.TierState.$Shape} TierState
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            TierState.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.baton.v1.TierState();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.tier = value;
                            else
                                delete message.tier;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.rank = value;
                            else
                                delete message.rank;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.segments = value;
                            else
                                delete message.segments;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.capacitySegments = value;
                            else
                                delete message.capacitySegments;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.xor = value;
                            else
                                delete message.xor;
                            continue;
                        }
                    case 6: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.bool())
                                message.resumePoints = value;
                            else
                                delete message.resumePoints;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return TierState;
        })();

        v1.AgentCounters = (function() {

            /**
             * Properties of an AgentCounters.
             * @typedef {Object} baton.v1.AgentCounters.$Properties
             * @property {number|null} [pullsStarted] AgentCounters pullsStarted
             * @property {number|null} [pullsCompleted] AgentCounters pullsCompleted
             * @property {number|null} [pullsFailed] AgentCounters pullsFailed
             * @property {number|null} [pullsActive] AgentCounters pullsActive
             * @property {number|null} [segmentsIn] AgentCounters segmentsIn
             * @property {number|null} [segmentsOut] AgentCounters segmentsOut
             * @property {number|null} [bytesIn] AgentCounters bytesIn
             * @property {number|null} [bytesOut] AgentCounters bytesOut
             * @property {number|null} [checksumFailures] AgentCounters checksumFailures
             * @property {number|null} [stalls] AgentCounters stalls
             * @property {number|null} [cuts] AgentCounters cuts
             * @property {number|null} [tokensReused] AgentCounters tokensReused
             * @property {number|null} [tokensTransferred] AgentCounters tokensTransferred
             * @property {number|null} [tokensComputed] AgentCounters tokensComputed
             * @property {number|null} [handoversReceived] AgentCounters handoversReceived
             * @property {number|null} [handoversFailed] AgentCounters handoversFailed
             * @property {number|null} [pinnedPages] AgentCounters pinnedPages
             * @property {number|null} [leases] AgentCounters leases
             * @property {number|null} [eventGaps] AgentCounters eventGaps
             * @property {number|null} [eventDecodeFailures] AgentCounters eventDecodeFailures
             * @property {number|null} [replayedBatches] AgentCounters replayedBatches
             * @property {number|null} [eventResets] AgentCounters eventResets
             * @property {number|null} [unresolvedBlocks] AgentCounters unresolvedBlocks
             * @property {number|null} [eventMismatches] AgentCounters eventMismatches
             * @property {number|null} [malformedEvents] AgentCounters malformedEvents
             * @property {number|null} [ignoredBlocks] AgentCounters ignoredBlocks
             * @property {number|null} [refusedBlocks] AgentCounters refusedBlocks
             * @property {number|null} [otherBlockSizes] AgentCounters otherBlockSizes
             * @property {number|null} [engineRestarts] AgentCounters engineRestarts
             * @property {number|null} [hybridRefusedRanks] AgentCounters hybridRefusedRanks
             * @property {number|null} [journalFailures] AgentCounters journalFailures
             * @property {number|null} [engineCacheResets] AgentCounters engineCacheResets
             * @property {number|null} [engineCacheResetFailures] AgentCounters engineCacheResetFailures
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of an AgentCounters.
             * @memberof baton.v1
             * @interface IAgentCounters
             * @augments baton.v1.AgentCounters.$Properties
             * @deprecated Use baton.v1.AgentCounters.$Properties instead.
             */

            /**
             * Shape of an AgentCounters.
             * @typedef {baton.v1.AgentCounters.$Properties} baton.v1.AgentCounters.$Shape
             */

            /**
             * Constructs a new AgentCounters.
             * @memberof baton.v1
             * @classdesc Represents an AgentCounters.
             * @constructor
             * @param {baton.v1.AgentCounters.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const AgentCounters = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * AgentCounters pullsStarted.
             * @member {number} pullsStarted
             * @memberof baton.v1.AgentCounters
             * @instance
             */
            AgentCounters.prototype.pullsStarted = $util.Long ? $util.Long.fromBits(0,0,true) : 0;

            /**
             * AgentCounters pullsCompleted.
             * @member {number} pullsCompleted
             * @memberof baton.v1.AgentCounters
             * @instance
             */
            AgentCounters.prototype.pullsCompleted = $util.Long ? $util.Long.fromBits(0,0,true) : 0;

            /**
             * AgentCounters pullsFailed.
             * @member {number} pullsFailed
             * @memberof baton.v1.AgentCounters
             * @instance
             */
            AgentCounters.prototype.pullsFailed = $util.Long ? $util.Long.fromBits(0,0,true) : 0;

            /**
             * AgentCounters pullsActive.
             * @member {number} pullsActive
             * @memberof baton.v1.AgentCounters
             * @instance
             */
            AgentCounters.prototype.pullsActive = $util.Long ? $util.Long.fromBits(0,0,true) : 0;

            /**
             * AgentCounters segmentsIn.
             * @member {number} segmentsIn
             * @memberof baton.v1.AgentCounters
             * @instance
             */
            AgentCounters.prototype.segmentsIn = $util.Long ? $util.Long.fromBits(0,0,true) : 0;

            /**
             * AgentCounters segmentsOut.
             * @member {number} segmentsOut
             * @memberof baton.v1.AgentCounters
             * @instance
             */
            AgentCounters.prototype.segmentsOut = $util.Long ? $util.Long.fromBits(0,0,true) : 0;

            /**
             * AgentCounters bytesIn.
             * @member {number} bytesIn
             * @memberof baton.v1.AgentCounters
             * @instance
             */
            AgentCounters.prototype.bytesIn = $util.Long ? $util.Long.fromBits(0,0,true) : 0;

            /**
             * AgentCounters bytesOut.
             * @member {number} bytesOut
             * @memberof baton.v1.AgentCounters
             * @instance
             */
            AgentCounters.prototype.bytesOut = $util.Long ? $util.Long.fromBits(0,0,true) : 0;

            /**
             * AgentCounters checksumFailures.
             * @member {number} checksumFailures
             * @memberof baton.v1.AgentCounters
             * @instance
             */
            AgentCounters.prototype.checksumFailures = $util.Long ? $util.Long.fromBits(0,0,true) : 0;

            /**
             * AgentCounters stalls.
             * @member {number} stalls
             * @memberof baton.v1.AgentCounters
             * @instance
             */
            AgentCounters.prototype.stalls = $util.Long ? $util.Long.fromBits(0,0,true) : 0;

            /**
             * AgentCounters cuts.
             * @member {number} cuts
             * @memberof baton.v1.AgentCounters
             * @instance
             */
            AgentCounters.prototype.cuts = $util.Long ? $util.Long.fromBits(0,0,true) : 0;

            /**
             * AgentCounters tokensReused.
             * @member {number} tokensReused
             * @memberof baton.v1.AgentCounters
             * @instance
             */
            AgentCounters.prototype.tokensReused = $util.Long ? $util.Long.fromBits(0,0,true) : 0;

            /**
             * AgentCounters tokensTransferred.
             * @member {number} tokensTransferred
             * @memberof baton.v1.AgentCounters
             * @instance
             */
            AgentCounters.prototype.tokensTransferred = $util.Long ? $util.Long.fromBits(0,0,true) : 0;

            /**
             * AgentCounters tokensComputed.
             * @member {number} tokensComputed
             * @memberof baton.v1.AgentCounters
             * @instance
             */
            AgentCounters.prototype.tokensComputed = $util.Long ? $util.Long.fromBits(0,0,true) : 0;

            /**
             * AgentCounters handoversReceived.
             * @member {number} handoversReceived
             * @memberof baton.v1.AgentCounters
             * @instance
             */
            AgentCounters.prototype.handoversReceived = $util.Long ? $util.Long.fromBits(0,0,true) : 0;

            /**
             * AgentCounters handoversFailed.
             * @member {number} handoversFailed
             * @memberof baton.v1.AgentCounters
             * @instance
             */
            AgentCounters.prototype.handoversFailed = $util.Long ? $util.Long.fromBits(0,0,true) : 0;

            /**
             * AgentCounters pinnedPages.
             * @member {number} pinnedPages
             * @memberof baton.v1.AgentCounters
             * @instance
             */
            AgentCounters.prototype.pinnedPages = $util.Long ? $util.Long.fromBits(0,0,true) : 0;

            /**
             * AgentCounters leases.
             * @member {number} leases
             * @memberof baton.v1.AgentCounters
             * @instance
             */
            AgentCounters.prototype.leases = $util.Long ? $util.Long.fromBits(0,0,true) : 0;

            /**
             * AgentCounters eventGaps.
             * @member {number} eventGaps
             * @memberof baton.v1.AgentCounters
             * @instance
             */
            AgentCounters.prototype.eventGaps = $util.Long ? $util.Long.fromBits(0,0,true) : 0;

            /**
             * AgentCounters eventDecodeFailures.
             * @member {number} eventDecodeFailures
             * @memberof baton.v1.AgentCounters
             * @instance
             */
            AgentCounters.prototype.eventDecodeFailures = $util.Long ? $util.Long.fromBits(0,0,true) : 0;

            /**
             * AgentCounters replayedBatches.
             * @member {number} replayedBatches
             * @memberof baton.v1.AgentCounters
             * @instance
             */
            AgentCounters.prototype.replayedBatches = $util.Long ? $util.Long.fromBits(0,0,true) : 0;

            /**
             * AgentCounters eventResets.
             * @member {number} eventResets
             * @memberof baton.v1.AgentCounters
             * @instance
             */
            AgentCounters.prototype.eventResets = $util.Long ? $util.Long.fromBits(0,0,true) : 0;

            /**
             * AgentCounters unresolvedBlocks.
             * @member {number} unresolvedBlocks
             * @memberof baton.v1.AgentCounters
             * @instance
             */
            AgentCounters.prototype.unresolvedBlocks = $util.Long ? $util.Long.fromBits(0,0,true) : 0;

            /**
             * AgentCounters eventMismatches.
             * @member {number} eventMismatches
             * @memberof baton.v1.AgentCounters
             * @instance
             */
            AgentCounters.prototype.eventMismatches = $util.Long ? $util.Long.fromBits(0,0,true) : 0;

            /**
             * AgentCounters malformedEvents.
             * @member {number} malformedEvents
             * @memberof baton.v1.AgentCounters
             * @instance
             */
            AgentCounters.prototype.malformedEvents = $util.Long ? $util.Long.fromBits(0,0,true) : 0;

            /**
             * AgentCounters ignoredBlocks.
             * @member {number} ignoredBlocks
             * @memberof baton.v1.AgentCounters
             * @instance
             */
            AgentCounters.prototype.ignoredBlocks = $util.Long ? $util.Long.fromBits(0,0,true) : 0;

            /**
             * AgentCounters refusedBlocks.
             * @member {number} refusedBlocks
             * @memberof baton.v1.AgentCounters
             * @instance
             */
            AgentCounters.prototype.refusedBlocks = $util.Long ? $util.Long.fromBits(0,0,true) : 0;

            /**
             * AgentCounters otherBlockSizes.
             * @member {number} otherBlockSizes
             * @memberof baton.v1.AgentCounters
             * @instance
             */
            AgentCounters.prototype.otherBlockSizes = $util.Long ? $util.Long.fromBits(0,0,true) : 0;

            /**
             * AgentCounters engineRestarts.
             * @member {number} engineRestarts
             * @memberof baton.v1.AgentCounters
             * @instance
             */
            AgentCounters.prototype.engineRestarts = $util.Long ? $util.Long.fromBits(0,0,true) : 0;

            /**
             * AgentCounters hybridRefusedRanks.
             * @member {number} hybridRefusedRanks
             * @memberof baton.v1.AgentCounters
             * @instance
             */
            AgentCounters.prototype.hybridRefusedRanks = $util.Long ? $util.Long.fromBits(0,0,true) : 0;

            /**
             * AgentCounters journalFailures.
             * @member {number} journalFailures
             * @memberof baton.v1.AgentCounters
             * @instance
             */
            AgentCounters.prototype.journalFailures = $util.Long ? $util.Long.fromBits(0,0,true) : 0;

            /**
             * AgentCounters engineCacheResets.
             * @member {number} engineCacheResets
             * @memberof baton.v1.AgentCounters
             * @instance
             */
            AgentCounters.prototype.engineCacheResets = $util.Long ? $util.Long.fromBits(0,0,true) : 0;

            /**
             * AgentCounters engineCacheResetFailures.
             * @member {number} engineCacheResetFailures
             * @memberof baton.v1.AgentCounters
             * @instance
             */
            AgentCounters.prototype.engineCacheResetFailures = $util.Long ? $util.Long.fromBits(0,0,true) : 0;

            /**
             * Creates a new AgentCounters instance using the specified properties.
             * @function create
             * @memberof baton.v1.AgentCounters
             * @static
             * @param {baton.v1.AgentCounters.$Properties=} [properties] Properties to set
             * @returns {baton.v1.AgentCounters} AgentCounters instance
             * @type {{
             *   (properties: baton.v1.AgentCounters.$Shape): baton.v1.AgentCounters & baton.v1.AgentCounters.$Shape;
             *   (properties?: baton.v1.AgentCounters.$Properties): baton.v1.AgentCounters;
             * }}
             */
            AgentCounters.create = function(properties) {
                return new AgentCounters(properties);
            };

            /**
             * Encodes the specified AgentCounters message. Does not implicitly {@link baton.v1.AgentCounters.verify|verify} messages.
             * @function encode
             * @memberof baton.v1.AgentCounters
             * @static
             * @param {baton.v1.AgentCounters.$Properties} message AgentCounters message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            AgentCounters.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.pullsStarted != null && $Object.hasOwnProperty.call(message, "pullsStarted") && (typeof message.pullsStarted === "object" ? message.pullsStarted.low || message.pullsStarted.high : message.pullsStarted !== 0))
                    writer.uint32(/* id 1, wireType 0 =*/8).uint64(message.pullsStarted);
                if (message.pullsCompleted != null && $Object.hasOwnProperty.call(message, "pullsCompleted") && (typeof message.pullsCompleted === "object" ? message.pullsCompleted.low || message.pullsCompleted.high : message.pullsCompleted !== 0))
                    writer.uint32(/* id 2, wireType 0 =*/16).uint64(message.pullsCompleted);
                if (message.pullsFailed != null && $Object.hasOwnProperty.call(message, "pullsFailed") && (typeof message.pullsFailed === "object" ? message.pullsFailed.low || message.pullsFailed.high : message.pullsFailed !== 0))
                    writer.uint32(/* id 3, wireType 0 =*/24).uint64(message.pullsFailed);
                if (message.pullsActive != null && $Object.hasOwnProperty.call(message, "pullsActive") && (typeof message.pullsActive === "object" ? message.pullsActive.low || message.pullsActive.high : message.pullsActive !== 0))
                    writer.uint32(/* id 4, wireType 0 =*/32).uint64(message.pullsActive);
                if (message.segmentsIn != null && $Object.hasOwnProperty.call(message, "segmentsIn") && (typeof message.segmentsIn === "object" ? message.segmentsIn.low || message.segmentsIn.high : message.segmentsIn !== 0))
                    writer.uint32(/* id 5, wireType 0 =*/40).uint64(message.segmentsIn);
                if (message.segmentsOut != null && $Object.hasOwnProperty.call(message, "segmentsOut") && (typeof message.segmentsOut === "object" ? message.segmentsOut.low || message.segmentsOut.high : message.segmentsOut !== 0))
                    writer.uint32(/* id 6, wireType 0 =*/48).uint64(message.segmentsOut);
                if (message.bytesIn != null && $Object.hasOwnProperty.call(message, "bytesIn") && (typeof message.bytesIn === "object" ? message.bytesIn.low || message.bytesIn.high : message.bytesIn !== 0))
                    writer.uint32(/* id 7, wireType 0 =*/56).uint64(message.bytesIn);
                if (message.bytesOut != null && $Object.hasOwnProperty.call(message, "bytesOut") && (typeof message.bytesOut === "object" ? message.bytesOut.low || message.bytesOut.high : message.bytesOut !== 0))
                    writer.uint32(/* id 8, wireType 0 =*/64).uint64(message.bytesOut);
                if (message.checksumFailures != null && $Object.hasOwnProperty.call(message, "checksumFailures") && (typeof message.checksumFailures === "object" ? message.checksumFailures.low || message.checksumFailures.high : message.checksumFailures !== 0))
                    writer.uint32(/* id 9, wireType 0 =*/72).uint64(message.checksumFailures);
                if (message.stalls != null && $Object.hasOwnProperty.call(message, "stalls") && (typeof message.stalls === "object" ? message.stalls.low || message.stalls.high : message.stalls !== 0))
                    writer.uint32(/* id 10, wireType 0 =*/80).uint64(message.stalls);
                if (message.cuts != null && $Object.hasOwnProperty.call(message, "cuts") && (typeof message.cuts === "object" ? message.cuts.low || message.cuts.high : message.cuts !== 0))
                    writer.uint32(/* id 11, wireType 0 =*/88).uint64(message.cuts);
                if (message.tokensReused != null && $Object.hasOwnProperty.call(message, "tokensReused") && (typeof message.tokensReused === "object" ? message.tokensReused.low || message.tokensReused.high : message.tokensReused !== 0))
                    writer.uint32(/* id 12, wireType 0 =*/96).uint64(message.tokensReused);
                if (message.tokensTransferred != null && $Object.hasOwnProperty.call(message, "tokensTransferred") && (typeof message.tokensTransferred === "object" ? message.tokensTransferred.low || message.tokensTransferred.high : message.tokensTransferred !== 0))
                    writer.uint32(/* id 13, wireType 0 =*/104).uint64(message.tokensTransferred);
                if (message.tokensComputed != null && $Object.hasOwnProperty.call(message, "tokensComputed") && (typeof message.tokensComputed === "object" ? message.tokensComputed.low || message.tokensComputed.high : message.tokensComputed !== 0))
                    writer.uint32(/* id 14, wireType 0 =*/112).uint64(message.tokensComputed);
                if (message.handoversReceived != null && $Object.hasOwnProperty.call(message, "handoversReceived") && (typeof message.handoversReceived === "object" ? message.handoversReceived.low || message.handoversReceived.high : message.handoversReceived !== 0))
                    writer.uint32(/* id 15, wireType 0 =*/120).uint64(message.handoversReceived);
                if (message.handoversFailed != null && $Object.hasOwnProperty.call(message, "handoversFailed") && (typeof message.handoversFailed === "object" ? message.handoversFailed.low || message.handoversFailed.high : message.handoversFailed !== 0))
                    writer.uint32(/* id 16, wireType 0 =*/128).uint64(message.handoversFailed);
                if (message.pinnedPages != null && $Object.hasOwnProperty.call(message, "pinnedPages") && (typeof message.pinnedPages === "object" ? message.pinnedPages.low || message.pinnedPages.high : message.pinnedPages !== 0))
                    writer.uint32(/* id 17, wireType 0 =*/136).uint64(message.pinnedPages);
                if (message.leases != null && $Object.hasOwnProperty.call(message, "leases") && (typeof message.leases === "object" ? message.leases.low || message.leases.high : message.leases !== 0))
                    writer.uint32(/* id 18, wireType 0 =*/144).uint64(message.leases);
                if (message.eventGaps != null && $Object.hasOwnProperty.call(message, "eventGaps") && (typeof message.eventGaps === "object" ? message.eventGaps.low || message.eventGaps.high : message.eventGaps !== 0))
                    writer.uint32(/* id 19, wireType 0 =*/152).uint64(message.eventGaps);
                if (message.eventDecodeFailures != null && $Object.hasOwnProperty.call(message, "eventDecodeFailures") && (typeof message.eventDecodeFailures === "object" ? message.eventDecodeFailures.low || message.eventDecodeFailures.high : message.eventDecodeFailures !== 0))
                    writer.uint32(/* id 20, wireType 0 =*/160).uint64(message.eventDecodeFailures);
                if (message.replayedBatches != null && $Object.hasOwnProperty.call(message, "replayedBatches") && (typeof message.replayedBatches === "object" ? message.replayedBatches.low || message.replayedBatches.high : message.replayedBatches !== 0))
                    writer.uint32(/* id 21, wireType 0 =*/168).uint64(message.replayedBatches);
                if (message.eventResets != null && $Object.hasOwnProperty.call(message, "eventResets") && (typeof message.eventResets === "object" ? message.eventResets.low || message.eventResets.high : message.eventResets !== 0))
                    writer.uint32(/* id 22, wireType 0 =*/176).uint64(message.eventResets);
                if (message.unresolvedBlocks != null && $Object.hasOwnProperty.call(message, "unresolvedBlocks") && (typeof message.unresolvedBlocks === "object" ? message.unresolvedBlocks.low || message.unresolvedBlocks.high : message.unresolvedBlocks !== 0))
                    writer.uint32(/* id 23, wireType 0 =*/184).uint64(message.unresolvedBlocks);
                if (message.eventMismatches != null && $Object.hasOwnProperty.call(message, "eventMismatches") && (typeof message.eventMismatches === "object" ? message.eventMismatches.low || message.eventMismatches.high : message.eventMismatches !== 0))
                    writer.uint32(/* id 24, wireType 0 =*/192).uint64(message.eventMismatches);
                if (message.malformedEvents != null && $Object.hasOwnProperty.call(message, "malformedEvents") && (typeof message.malformedEvents === "object" ? message.malformedEvents.low || message.malformedEvents.high : message.malformedEvents !== 0))
                    writer.uint32(/* id 25, wireType 0 =*/200).uint64(message.malformedEvents);
                if (message.ignoredBlocks != null && $Object.hasOwnProperty.call(message, "ignoredBlocks") && (typeof message.ignoredBlocks === "object" ? message.ignoredBlocks.low || message.ignoredBlocks.high : message.ignoredBlocks !== 0))
                    writer.uint32(/* id 26, wireType 0 =*/208).uint64(message.ignoredBlocks);
                if (message.refusedBlocks != null && $Object.hasOwnProperty.call(message, "refusedBlocks") && (typeof message.refusedBlocks === "object" ? message.refusedBlocks.low || message.refusedBlocks.high : message.refusedBlocks !== 0))
                    writer.uint32(/* id 27, wireType 0 =*/216).uint64(message.refusedBlocks);
                if (message.otherBlockSizes != null && $Object.hasOwnProperty.call(message, "otherBlockSizes") && (typeof message.otherBlockSizes === "object" ? message.otherBlockSizes.low || message.otherBlockSizes.high : message.otherBlockSizes !== 0))
                    writer.uint32(/* id 28, wireType 0 =*/224).uint64(message.otherBlockSizes);
                if (message.engineRestarts != null && $Object.hasOwnProperty.call(message, "engineRestarts") && (typeof message.engineRestarts === "object" ? message.engineRestarts.low || message.engineRestarts.high : message.engineRestarts !== 0))
                    writer.uint32(/* id 29, wireType 0 =*/232).uint64(message.engineRestarts);
                if (message.hybridRefusedRanks != null && $Object.hasOwnProperty.call(message, "hybridRefusedRanks") && (typeof message.hybridRefusedRanks === "object" ? message.hybridRefusedRanks.low || message.hybridRefusedRanks.high : message.hybridRefusedRanks !== 0))
                    writer.uint32(/* id 30, wireType 0 =*/240).uint64(message.hybridRefusedRanks);
                if (message.journalFailures != null && $Object.hasOwnProperty.call(message, "journalFailures") && (typeof message.journalFailures === "object" ? message.journalFailures.low || message.journalFailures.high : message.journalFailures !== 0))
                    writer.uint32(/* id 31, wireType 0 =*/248).uint64(message.journalFailures);
                if (message.engineCacheResets != null && $Object.hasOwnProperty.call(message, "engineCacheResets") && (typeof message.engineCacheResets === "object" ? message.engineCacheResets.low || message.engineCacheResets.high : message.engineCacheResets !== 0))
                    writer.uint32(/* id 32, wireType 0 =*/256).uint64(message.engineCacheResets);
                if (message.engineCacheResetFailures != null && $Object.hasOwnProperty.call(message, "engineCacheResetFailures") && (typeof message.engineCacheResetFailures === "object" ? message.engineCacheResetFailures.low || message.engineCacheResetFailures.high : message.engineCacheResetFailures !== 0))
                    writer.uint32(/* id 33, wireType 0 =*/264).uint64(message.engineCacheResetFailures);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes an AgentCounters message from the specified reader or buffer.
             * @function decode
             * @memberof baton.v1.AgentCounters
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {baton.v1.AgentCounters & baton.v1.AgentCounters.$Shape} AgentCounters
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            AgentCounters.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.baton.v1.AgentCounters();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.uint64()) === "object" ? value.low || value.high : value !== 0)
                                message.pullsStarted = value;
                            else
                                delete message.pullsStarted;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.uint64()) === "object" ? value.low || value.high : value !== 0)
                                message.pullsCompleted = value;
                            else
                                delete message.pullsCompleted;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.uint64()) === "object" ? value.low || value.high : value !== 0)
                                message.pullsFailed = value;
                            else
                                delete message.pullsFailed;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.uint64()) === "object" ? value.low || value.high : value !== 0)
                                message.pullsActive = value;
                            else
                                delete message.pullsActive;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.uint64()) === "object" ? value.low || value.high : value !== 0)
                                message.segmentsIn = value;
                            else
                                delete message.segmentsIn;
                            continue;
                        }
                    case 6: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.uint64()) === "object" ? value.low || value.high : value !== 0)
                                message.segmentsOut = value;
                            else
                                delete message.segmentsOut;
                            continue;
                        }
                    case 7: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.uint64()) === "object" ? value.low || value.high : value !== 0)
                                message.bytesIn = value;
                            else
                                delete message.bytesIn;
                            continue;
                        }
                    case 8: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.uint64()) === "object" ? value.low || value.high : value !== 0)
                                message.bytesOut = value;
                            else
                                delete message.bytesOut;
                            continue;
                        }
                    case 9: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.uint64()) === "object" ? value.low || value.high : value !== 0)
                                message.checksumFailures = value;
                            else
                                delete message.checksumFailures;
                            continue;
                        }
                    case 10: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.uint64()) === "object" ? value.low || value.high : value !== 0)
                                message.stalls = value;
                            else
                                delete message.stalls;
                            continue;
                        }
                    case 11: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.uint64()) === "object" ? value.low || value.high : value !== 0)
                                message.cuts = value;
                            else
                                delete message.cuts;
                            continue;
                        }
                    case 12: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.uint64()) === "object" ? value.low || value.high : value !== 0)
                                message.tokensReused = value;
                            else
                                delete message.tokensReused;
                            continue;
                        }
                    case 13: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.uint64()) === "object" ? value.low || value.high : value !== 0)
                                message.tokensTransferred = value;
                            else
                                delete message.tokensTransferred;
                            continue;
                        }
                    case 14: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.uint64()) === "object" ? value.low || value.high : value !== 0)
                                message.tokensComputed = value;
                            else
                                delete message.tokensComputed;
                            continue;
                        }
                    case 15: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.uint64()) === "object" ? value.low || value.high : value !== 0)
                                message.handoversReceived = value;
                            else
                                delete message.handoversReceived;
                            continue;
                        }
                    case 16: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.uint64()) === "object" ? value.low || value.high : value !== 0)
                                message.handoversFailed = value;
                            else
                                delete message.handoversFailed;
                            continue;
                        }
                    case 17: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.uint64()) === "object" ? value.low || value.high : value !== 0)
                                message.pinnedPages = value;
                            else
                                delete message.pinnedPages;
                            continue;
                        }
                    case 18: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.uint64()) === "object" ? value.low || value.high : value !== 0)
                                message.leases = value;
                            else
                                delete message.leases;
                            continue;
                        }
                    case 19: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.uint64()) === "object" ? value.low || value.high : value !== 0)
                                message.eventGaps = value;
                            else
                                delete message.eventGaps;
                            continue;
                        }
                    case 20: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.uint64()) === "object" ? value.low || value.high : value !== 0)
                                message.eventDecodeFailures = value;
                            else
                                delete message.eventDecodeFailures;
                            continue;
                        }
                    case 21: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.uint64()) === "object" ? value.low || value.high : value !== 0)
                                message.replayedBatches = value;
                            else
                                delete message.replayedBatches;
                            continue;
                        }
                    case 22: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.uint64()) === "object" ? value.low || value.high : value !== 0)
                                message.eventResets = value;
                            else
                                delete message.eventResets;
                            continue;
                        }
                    case 23: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.uint64()) === "object" ? value.low || value.high : value !== 0)
                                message.unresolvedBlocks = value;
                            else
                                delete message.unresolvedBlocks;
                            continue;
                        }
                    case 24: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.uint64()) === "object" ? value.low || value.high : value !== 0)
                                message.eventMismatches = value;
                            else
                                delete message.eventMismatches;
                            continue;
                        }
                    case 25: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.uint64()) === "object" ? value.low || value.high : value !== 0)
                                message.malformedEvents = value;
                            else
                                delete message.malformedEvents;
                            continue;
                        }
                    case 26: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.uint64()) === "object" ? value.low || value.high : value !== 0)
                                message.ignoredBlocks = value;
                            else
                                delete message.ignoredBlocks;
                            continue;
                        }
                    case 27: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.uint64()) === "object" ? value.low || value.high : value !== 0)
                                message.refusedBlocks = value;
                            else
                                delete message.refusedBlocks;
                            continue;
                        }
                    case 28: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.uint64()) === "object" ? value.low || value.high : value !== 0)
                                message.otherBlockSizes = value;
                            else
                                delete message.otherBlockSizes;
                            continue;
                        }
                    case 29: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.uint64()) === "object" ? value.low || value.high : value !== 0)
                                message.engineRestarts = value;
                            else
                                delete message.engineRestarts;
                            continue;
                        }
                    case 30: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.uint64()) === "object" ? value.low || value.high : value !== 0)
                                message.hybridRefusedRanks = value;
                            else
                                delete message.hybridRefusedRanks;
                            continue;
                        }
                    case 31: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.uint64()) === "object" ? value.low || value.high : value !== 0)
                                message.journalFailures = value;
                            else
                                delete message.journalFailures;
                            continue;
                        }
                    case 32: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.uint64()) === "object" ? value.low || value.high : value !== 0)
                                message.engineCacheResets = value;
                            else
                                delete message.engineCacheResets;
                            continue;
                        }
                    case 33: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.uint64()) === "object" ? value.low || value.high : value !== 0)
                                message.engineCacheResetFailures = value;
                            else
                                delete message.engineCacheResetFailures;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return AgentCounters;
        })();

        v1.WorkerBeat = (function() {

            /**
             * Properties of a WorkerBeat.
             * @typedef {Object} baton.v1.WorkerBeat.$Properties
             * @property {baton.v1.Worker.$Properties|null} [worker] WorkerBeat worker
             * @property {baton.v1.Epoch.$Properties|null} [epoch] WorkerBeat epoch
             * @property {baton.v1.WorkerState|null} [state] WorkerBeat state
             * @property {string|null} [reason] WorkerBeat reason
             * @property {number|null} [lastDeltaSeq] WorkerBeat lastDeltaSeq
             * @property {Array.<baton.v1.Load.$Properties>|null} [loads] WorkerBeat loads
             * @property {Array.<baton.v1.TierState.$Properties>|null} [tiers] WorkerBeat tiers
             * @property {baton.v1.AgentCounters.$Properties|null} [counters] WorkerBeat counters
             * @property {number|null} [leaseMs] WorkerBeat leaseMs
             * @property {baton.v1.WorkerAdapters.$Properties|null} [adapters] WorkerBeat adapters
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a WorkerBeat.
             * @memberof baton.v1
             * @interface IWorkerBeat
             * @augments baton.v1.WorkerBeat.$Properties
             * @deprecated Use baton.v1.WorkerBeat.$Properties instead.
             */

            /**
             * Shape of a WorkerBeat.
             * @typedef {baton.v1.WorkerBeat.$Properties} baton.v1.WorkerBeat.$Shape
             */

            /**
             * Constructs a new WorkerBeat.
             * @memberof baton.v1
             * @classdesc Represents a WorkerBeat.
             * @constructor
             * @param {baton.v1.WorkerBeat.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const WorkerBeat = function (properties) {
                this.loads = [];
                this.tiers = [];
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * WorkerBeat worker.
             * @member {baton.v1.Worker.$Properties|null|undefined} worker
             * @memberof baton.v1.WorkerBeat
             * @instance
             */
            WorkerBeat.prototype.worker = null;

            /**
             * WorkerBeat epoch.
             * @member {baton.v1.Epoch.$Properties|null|undefined} epoch
             * @memberof baton.v1.WorkerBeat
             * @instance
             */
            WorkerBeat.prototype.epoch = null;

            /**
             * WorkerBeat state.
             * @member {baton.v1.WorkerState} state
             * @memberof baton.v1.WorkerBeat
             * @instance
             */
            WorkerBeat.prototype.state = 0;

            /**
             * WorkerBeat reason.
             * @member {string} reason
             * @memberof baton.v1.WorkerBeat
             * @instance
             */
            WorkerBeat.prototype.reason = "";

            /**
             * WorkerBeat lastDeltaSeq.
             * @member {number} lastDeltaSeq
             * @memberof baton.v1.WorkerBeat
             * @instance
             */
            WorkerBeat.prototype.lastDeltaSeq = $util.Long ? $util.Long.fromBits(0,0,true) : 0;

            /**
             * WorkerBeat loads.
             * @member {Array.<baton.v1.Load.$Properties>} loads
             * @memberof baton.v1.WorkerBeat
             * @instance
             */
            WorkerBeat.prototype.loads = $util.emptyArray;

            /**
             * WorkerBeat tiers.
             * @member {Array.<baton.v1.TierState.$Properties>} tiers
             * @memberof baton.v1.WorkerBeat
             * @instance
             */
            WorkerBeat.prototype.tiers = $util.emptyArray;

            /**
             * WorkerBeat counters.
             * @member {baton.v1.AgentCounters.$Properties|null|undefined} counters
             * @memberof baton.v1.WorkerBeat
             * @instance
             */
            WorkerBeat.prototype.counters = null;

            /**
             * WorkerBeat leaseMs.
             * @member {number} leaseMs
             * @memberof baton.v1.WorkerBeat
             * @instance
             */
            WorkerBeat.prototype.leaseMs = 0;

            /**
             * WorkerBeat adapters.
             * @member {baton.v1.WorkerAdapters.$Properties|null|undefined} adapters
             * @memberof baton.v1.WorkerBeat
             * @instance
             */
            WorkerBeat.prototype.adapters = null;

            /**
             * Creates a new WorkerBeat instance using the specified properties.
             * @function create
             * @memberof baton.v1.WorkerBeat
             * @static
             * @param {baton.v1.WorkerBeat.$Properties=} [properties] Properties to set
             * @returns {baton.v1.WorkerBeat} WorkerBeat instance
             * @type {{
             *   (properties: baton.v1.WorkerBeat.$Shape): baton.v1.WorkerBeat & baton.v1.WorkerBeat.$Shape;
             *   (properties?: baton.v1.WorkerBeat.$Properties): baton.v1.WorkerBeat;
             * }}
             */
            WorkerBeat.create = function(properties) {
                return new WorkerBeat(properties);
            };

            /**
             * Encodes the specified WorkerBeat message. Does not implicitly {@link baton.v1.WorkerBeat.verify|verify} messages.
             * @function encode
             * @memberof baton.v1.WorkerBeat
             * @static
             * @param {baton.v1.WorkerBeat.$Properties} message WorkerBeat message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            WorkerBeat.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.worker != null && $Object.hasOwnProperty.call(message, "worker"))
                    $root.baton.v1.Worker.encode(message.worker, writer.uint32(/* id 1, wireType 2 =*/10).fork(), _depth + 1).ldelim();
                if (message.epoch != null && $Object.hasOwnProperty.call(message, "epoch"))
                    $root.baton.v1.Epoch.encode(message.epoch, writer.uint32(/* id 2, wireType 2 =*/18).fork(), _depth + 1).ldelim();
                if (message.state != null && $Object.hasOwnProperty.call(message, "state") && message.state !== 0)
                    writer.uint32(/* id 3, wireType 0 =*/24).int32(message.state);
                if (message.reason != null && $Object.hasOwnProperty.call(message, "reason") && message.reason !== "")
                    writer.uint32(/* id 4, wireType 2 =*/34).string(message.reason);
                if (message.lastDeltaSeq != null && $Object.hasOwnProperty.call(message, "lastDeltaSeq") && (typeof message.lastDeltaSeq === "object" ? message.lastDeltaSeq.low || message.lastDeltaSeq.high : message.lastDeltaSeq !== 0))
                    writer.uint32(/* id 5, wireType 0 =*/40).uint64(message.lastDeltaSeq);
                if (message.loads != null && message.loads.length)
                    for (let i = 0; i < message.loads.length; ++i)
                        $root.baton.v1.Load.encode(message.loads[i], writer.uint32(/* id 6, wireType 2 =*/50).fork(), _depth + 1).ldelim();
                if (message.tiers != null && message.tiers.length)
                    for (let i = 0; i < message.tiers.length; ++i)
                        $root.baton.v1.TierState.encode(message.tiers[i], writer.uint32(/* id 7, wireType 2 =*/58).fork(), _depth + 1).ldelim();
                if (message.counters != null && $Object.hasOwnProperty.call(message, "counters"))
                    $root.baton.v1.AgentCounters.encode(message.counters, writer.uint32(/* id 8, wireType 2 =*/66).fork(), _depth + 1).ldelim();
                if (message.leaseMs != null && $Object.hasOwnProperty.call(message, "leaseMs") && message.leaseMs !== 0)
                    writer.uint32(/* id 9, wireType 0 =*/72).uint32(message.leaseMs);
                if (message.adapters != null && $Object.hasOwnProperty.call(message, "adapters"))
                    $root.baton.v1.WorkerAdapters.encode(message.adapters, writer.uint32(/* id 10, wireType 2 =*/82).fork(), _depth + 1).ldelim();
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a WorkerBeat message from the specified reader or buffer.
             * @function decode
             * @memberof baton.v1.WorkerBeat
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {baton.v1.WorkerBeat & baton.v1.WorkerBeat.$Shape} WorkerBeat
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            WorkerBeat.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.baton.v1.WorkerBeat();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            message.worker = $root.baton.v1.Worker.decode(reader, reader.size(), $undefined, _depth + 1, message.worker);
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            message.epoch = $root.baton.v1.Epoch.decode(reader, reader.size(), $undefined, _depth + 1, message.epoch);
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.state = value;
                            else
                                delete message.state;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.reason = value;
                            else
                                delete message.reason;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.uint64()) === "object" ? value.low || value.high : value !== 0)
                                message.lastDeltaSeq = value;
                            else
                                delete message.lastDeltaSeq;
                            continue;
                        }
                    case 6: {
                            if (wireType !== 2)
                                break;
                            if (!(message.loads && message.loads.length))
                                message.loads = [];
                            message.loads.push($root.baton.v1.Load.decode(reader, reader.size(), $undefined, _depth + 1));
                            continue;
                        }
                    case 7: {
                            if (wireType !== 2)
                                break;
                            if (!(message.tiers && message.tiers.length))
                                message.tiers = [];
                            message.tiers.push($root.baton.v1.TierState.decode(reader, reader.size(), $undefined, _depth + 1));
                            continue;
                        }
                    case 8: {
                            if (wireType !== 2)
                                break;
                            message.counters = $root.baton.v1.AgentCounters.decode(reader, reader.size(), $undefined, _depth + 1, message.counters);
                            continue;
                        }
                    case 9: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.leaseMs = value;
                            else
                                delete message.leaseMs;
                            continue;
                        }
                    case 10: {
                            if (wireType !== 2)
                                break;
                            message.adapters = $root.baton.v1.WorkerAdapters.decode(reader, reader.size(), $undefined, _depth + 1, message.adapters);
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return WorkerBeat;
        })();

        v1.WorkerAdapters = (function() {

            /**
             * Properties of a WorkerAdapters.
             * @typedef {Object} baton.v1.WorkerAdapters.$Properties
             * @property {Array.<baton.v1.Adapter.$Properties>|null} [held] WorkerAdapters held
             * @property {number|null} [slots] WorkerAdapters slots
             * @property {Array.<string>|null} [used] WorkerAdapters used
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a WorkerAdapters.
             * @memberof baton.v1
             * @interface IWorkerAdapters
             * @augments baton.v1.WorkerAdapters.$Properties
             * @deprecated Use baton.v1.WorkerAdapters.$Properties instead.
             */

            /**
             * Shape of a WorkerAdapters.
             * @typedef {baton.v1.WorkerAdapters.$Properties} baton.v1.WorkerAdapters.$Shape
             */

            /**
             * Constructs a new WorkerAdapters.
             * @memberof baton.v1
             * @classdesc Represents a WorkerAdapters.
             * @constructor
             * @param {baton.v1.WorkerAdapters.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const WorkerAdapters = function (properties) {
                this.held = [];
                this.used = [];
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * WorkerAdapters held.
             * @member {Array.<baton.v1.Adapter.$Properties>} held
             * @memberof baton.v1.WorkerAdapters
             * @instance
             */
            WorkerAdapters.prototype.held = $util.emptyArray;

            /**
             * WorkerAdapters slots.
             * @member {number} slots
             * @memberof baton.v1.WorkerAdapters
             * @instance
             */
            WorkerAdapters.prototype.slots = 0;

            /**
             * WorkerAdapters used.
             * @member {Array.<string>} used
             * @memberof baton.v1.WorkerAdapters
             * @instance
             */
            WorkerAdapters.prototype.used = $util.emptyArray;

            /**
             * Creates a new WorkerAdapters instance using the specified properties.
             * @function create
             * @memberof baton.v1.WorkerAdapters
             * @static
             * @param {baton.v1.WorkerAdapters.$Properties=} [properties] Properties to set
             * @returns {baton.v1.WorkerAdapters} WorkerAdapters instance
             * @type {{
             *   (properties: baton.v1.WorkerAdapters.$Shape): baton.v1.WorkerAdapters & baton.v1.WorkerAdapters.$Shape;
             *   (properties?: baton.v1.WorkerAdapters.$Properties): baton.v1.WorkerAdapters;
             * }}
             */
            WorkerAdapters.create = function(properties) {
                return new WorkerAdapters(properties);
            };

            /**
             * Encodes the specified WorkerAdapters message. Does not implicitly {@link baton.v1.WorkerAdapters.verify|verify} messages.
             * @function encode
             * @memberof baton.v1.WorkerAdapters
             * @static
             * @param {baton.v1.WorkerAdapters.$Properties} message WorkerAdapters message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            WorkerAdapters.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.held != null && message.held.length)
                    for (let i = 0; i < message.held.length; ++i)
                        $root.baton.v1.Adapter.encode(message.held[i], writer.uint32(/* id 1, wireType 2 =*/10).fork(), _depth + 1).ldelim();
                if (message.slots != null && $Object.hasOwnProperty.call(message, "slots") && message.slots !== 0)
                    writer.uint32(/* id 2, wireType 0 =*/16).uint32(message.slots);
                if (message.used != null && message.used.length)
                    for (let i = 0; i < message.used.length; ++i)
                        writer.uint32(/* id 3, wireType 2 =*/26).string(message.used[i]);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a WorkerAdapters message from the specified reader or buffer.
             * @function decode
             * @memberof baton.v1.WorkerAdapters
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {baton.v1.WorkerAdapters & baton.v1.WorkerAdapters.$Shape} WorkerAdapters
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            WorkerAdapters.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.baton.v1.WorkerAdapters();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if (!(message.held && message.held.length))
                                message.held = [];
                            message.held.push($root.baton.v1.Adapter.decode(reader, reader.size(), $undefined, _depth + 1));
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.slots = value;
                            else
                                delete message.slots;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if (!(message.used && message.used.length))
                                message.used = [];
                            message.used.push(reader.stringVerify());
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return WorkerAdapters;
        })();

        /**
         * KvOpKind enum.
         * @name baton.v1.KvOpKind
         * @enum {number}
         * @property {number} KV_OP_KIND_UNSPECIFIED=0 KV_OP_KIND_UNSPECIFIED value
         * @property {number} KV_OP_KIND_STORE=1 KV_OP_KIND_STORE value
         * @property {number} KV_OP_KIND_REMOVE=2 KV_OP_KIND_REMOVE value
         * @property {number} KV_OP_KIND_CLEAR=3 KV_OP_KIND_CLEAR value
         */
        v1.KvOpKind = (function() {
            const valuesById = $Object.create(null), values = $Object.create(valuesById);
            values[valuesById[0] = "KV_OP_KIND_UNSPECIFIED"] = 0;
            values[valuesById[1] = "KV_OP_KIND_STORE"] = 1;
            values[valuesById[2] = "KV_OP_KIND_REMOVE"] = 2;
            values[valuesById[3] = "KV_OP_KIND_CLEAR"] = 3;
            return values;
        })();

        v1.KvOp = (function() {

            /**
             * Properties of a KvOp.
             * @typedef {Object} baton.v1.KvOp.$Properties
             * @property {baton.v1.KvOpKind|null} [kind] KvOp kind
             * @property {baton.v1.Tier|null} [tier] KvOp tier
             * @property {number|null} [rank] KvOp rank
             * @property {Uint8Array|null} [keys] KvOp keys
             * @property {boolean|null} [resumePoints] KvOp resumePoints
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a KvOp.
             * @memberof baton.v1
             * @interface IKvOp
             * @augments baton.v1.KvOp.$Properties
             * @deprecated Use baton.v1.KvOp.$Properties instead.
             */

            /**
             * Shape of a KvOp.
             * @typedef {baton.v1.KvOp.$Properties} baton.v1.KvOp.$Shape
             */

            /**
             * Constructs a new KvOp.
             * @memberof baton.v1
             * @classdesc Represents a KvOp.
             * @constructor
             * @param {baton.v1.KvOp.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const KvOp = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * KvOp kind.
             * @member {baton.v1.KvOpKind} kind
             * @memberof baton.v1.KvOp
             * @instance
             */
            KvOp.prototype.kind = 0;

            /**
             * KvOp tier.
             * @member {baton.v1.Tier} tier
             * @memberof baton.v1.KvOp
             * @instance
             */
            KvOp.prototype.tier = 0;

            /**
             * KvOp rank.
             * @member {number} rank
             * @memberof baton.v1.KvOp
             * @instance
             */
            KvOp.prototype.rank = 0;

            /**
             * KvOp keys.
             * @member {Uint8Array} keys
             * @memberof baton.v1.KvOp
             * @instance
             */
            KvOp.prototype.keys = $util.newBuffer([]);

            /**
             * KvOp resumePoints.
             * @member {boolean} resumePoints
             * @memberof baton.v1.KvOp
             * @instance
             */
            KvOp.prototype.resumePoints = false;

            /**
             * Creates a new KvOp instance using the specified properties.
             * @function create
             * @memberof baton.v1.KvOp
             * @static
             * @param {baton.v1.KvOp.$Properties=} [properties] Properties to set
             * @returns {baton.v1.KvOp} KvOp instance
             * @type {{
             *   (properties: baton.v1.KvOp.$Shape): baton.v1.KvOp & baton.v1.KvOp.$Shape;
             *   (properties?: baton.v1.KvOp.$Properties): baton.v1.KvOp;
             * }}
             */
            KvOp.create = function(properties) {
                return new KvOp(properties);
            };

            /**
             * Encodes the specified KvOp message. Does not implicitly {@link baton.v1.KvOp.verify|verify} messages.
             * @function encode
             * @memberof baton.v1.KvOp
             * @static
             * @param {baton.v1.KvOp.$Properties} message KvOp message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            KvOp.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.kind != null && $Object.hasOwnProperty.call(message, "kind") && message.kind !== 0)
                    writer.uint32(/* id 1, wireType 0 =*/8).int32(message.kind);
                if (message.tier != null && $Object.hasOwnProperty.call(message, "tier") && message.tier !== 0)
                    writer.uint32(/* id 2, wireType 0 =*/16).int32(message.tier);
                if (message.rank != null && $Object.hasOwnProperty.call(message, "rank") && message.rank !== 0)
                    writer.uint32(/* id 3, wireType 0 =*/24).uint32(message.rank);
                if (message.keys != null && $Object.hasOwnProperty.call(message, "keys") && message.keys.length)
                    writer.uint32(/* id 4, wireType 2 =*/34).bytes(message.keys);
                if (message.resumePoints != null && $Object.hasOwnProperty.call(message, "resumePoints") && message.resumePoints !== false)
                    writer.uint32(/* id 5, wireType 0 =*/40).bool(message.resumePoints);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a KvOp message from the specified reader or buffer.
             * @function decode
             * @memberof baton.v1.KvOp
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {baton.v1.KvOp & baton.v1.KvOp.$Shape} KvOp
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            KvOp.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.baton.v1.KvOp();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.kind = value;
                            else
                                delete message.kind;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.tier = value;
                            else
                                delete message.tier;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.rank = value;
                            else
                                delete message.rank;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.keys = value;
                            else
                                delete message.keys;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.bool())
                                message.resumePoints = value;
                            else
                                delete message.resumePoints;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return KvOp;
        })();

        v1.KvDelta = (function() {

            /**
             * Properties of a KvDelta.
             * @typedef {Object} baton.v1.KvDelta.$Properties
             * @property {string|null} [workerId] KvDelta workerId
             * @property {baton.v1.Epoch.$Properties|null} [epoch] KvDelta epoch
             * @property {number|null} [seq] KvDelta seq
             * @property {Array.<baton.v1.KvOp.$Properties>|null} [ops] KvDelta ops
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a KvDelta.
             * @memberof baton.v1
             * @interface IKvDelta
             * @augments baton.v1.KvDelta.$Properties
             * @deprecated Use baton.v1.KvDelta.$Properties instead.
             */

            /**
             * Shape of a KvDelta.
             * @typedef {baton.v1.KvDelta.$Properties} baton.v1.KvDelta.$Shape
             */

            /**
             * Constructs a new KvDelta.
             * @memberof baton.v1
             * @classdesc Represents a KvDelta.
             * @constructor
             * @param {baton.v1.KvDelta.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const KvDelta = function (properties) {
                this.ops = [];
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * KvDelta workerId.
             * @member {string} workerId
             * @memberof baton.v1.KvDelta
             * @instance
             */
            KvDelta.prototype.workerId = "";

            /**
             * KvDelta epoch.
             * @member {baton.v1.Epoch.$Properties|null|undefined} epoch
             * @memberof baton.v1.KvDelta
             * @instance
             */
            KvDelta.prototype.epoch = null;

            /**
             * KvDelta seq.
             * @member {number} seq
             * @memberof baton.v1.KvDelta
             * @instance
             */
            KvDelta.prototype.seq = $util.Long ? $util.Long.fromBits(0,0,true) : 0;

            /**
             * KvDelta ops.
             * @member {Array.<baton.v1.KvOp.$Properties>} ops
             * @memberof baton.v1.KvDelta
             * @instance
             */
            KvDelta.prototype.ops = $util.emptyArray;

            /**
             * Creates a new KvDelta instance using the specified properties.
             * @function create
             * @memberof baton.v1.KvDelta
             * @static
             * @param {baton.v1.KvDelta.$Properties=} [properties] Properties to set
             * @returns {baton.v1.KvDelta} KvDelta instance
             * @type {{
             *   (properties: baton.v1.KvDelta.$Shape): baton.v1.KvDelta & baton.v1.KvDelta.$Shape;
             *   (properties?: baton.v1.KvDelta.$Properties): baton.v1.KvDelta;
             * }}
             */
            KvDelta.create = function(properties) {
                return new KvDelta(properties);
            };

            /**
             * Encodes the specified KvDelta message. Does not implicitly {@link baton.v1.KvDelta.verify|verify} messages.
             * @function encode
             * @memberof baton.v1.KvDelta
             * @static
             * @param {baton.v1.KvDelta.$Properties} message KvDelta message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            KvDelta.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.workerId != null && $Object.hasOwnProperty.call(message, "workerId") && message.workerId !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.workerId);
                if (message.epoch != null && $Object.hasOwnProperty.call(message, "epoch"))
                    $root.baton.v1.Epoch.encode(message.epoch, writer.uint32(/* id 2, wireType 2 =*/18).fork(), _depth + 1).ldelim();
                if (message.seq != null && $Object.hasOwnProperty.call(message, "seq") && (typeof message.seq === "object" ? message.seq.low || message.seq.high : message.seq !== 0))
                    writer.uint32(/* id 3, wireType 0 =*/24).uint64(message.seq);
                if (message.ops != null && message.ops.length)
                    for (let i = 0; i < message.ops.length; ++i)
                        $root.baton.v1.KvOp.encode(message.ops[i], writer.uint32(/* id 4, wireType 2 =*/34).fork(), _depth + 1).ldelim();
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a KvDelta message from the specified reader or buffer.
             * @function decode
             * @memberof baton.v1.KvDelta
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {baton.v1.KvDelta & baton.v1.KvDelta.$Shape} KvDelta
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            KvDelta.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.baton.v1.KvDelta();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.workerId = value;
                            else
                                delete message.workerId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            message.epoch = $root.baton.v1.Epoch.decode(reader, reader.size(), $undefined, _depth + 1, message.epoch);
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.uint64()) === "object" ? value.low || value.high : value !== 0)
                                message.seq = value;
                            else
                                delete message.seq;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            if (!(message.ops && message.ops.length))
                                message.ops = [];
                            message.ops.push($root.baton.v1.KvOp.decode(reader, reader.size(), $undefined, _depth + 1));
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return KvDelta;
        })();

        v1.SnapshotRequest = (function() {

            /**
             * Properties of a SnapshotRequest.
             * @typedef {Object} baton.v1.SnapshotRequest.$Properties
             * @property {number|null} [snapshotId] SnapshotRequest snapshotId
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a SnapshotRequest.
             * @memberof baton.v1
             * @interface ISnapshotRequest
             * @augments baton.v1.SnapshotRequest.$Properties
             * @deprecated Use baton.v1.SnapshotRequest.$Properties instead.
             */

            /**
             * Shape of a SnapshotRequest.
             * @typedef {baton.v1.SnapshotRequest.$Properties} baton.v1.SnapshotRequest.$Shape
             */

            /**
             * Constructs a new SnapshotRequest.
             * @memberof baton.v1
             * @classdesc Represents a SnapshotRequest.
             * @constructor
             * @param {baton.v1.SnapshotRequest.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const SnapshotRequest = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * SnapshotRequest snapshotId.
             * @member {number} snapshotId
             * @memberof baton.v1.SnapshotRequest
             * @instance
             */
            SnapshotRequest.prototype.snapshotId = $util.Long ? $util.Long.fromBits(0,0,true) : 0;

            /**
             * Creates a new SnapshotRequest instance using the specified properties.
             * @function create
             * @memberof baton.v1.SnapshotRequest
             * @static
             * @param {baton.v1.SnapshotRequest.$Properties=} [properties] Properties to set
             * @returns {baton.v1.SnapshotRequest} SnapshotRequest instance
             * @type {{
             *   (properties: baton.v1.SnapshotRequest.$Shape): baton.v1.SnapshotRequest & baton.v1.SnapshotRequest.$Shape;
             *   (properties?: baton.v1.SnapshotRequest.$Properties): baton.v1.SnapshotRequest;
             * }}
             */
            SnapshotRequest.create = function(properties) {
                return new SnapshotRequest(properties);
            };

            /**
             * Encodes the specified SnapshotRequest message. Does not implicitly {@link baton.v1.SnapshotRequest.verify|verify} messages.
             * @function encode
             * @memberof baton.v1.SnapshotRequest
             * @static
             * @param {baton.v1.SnapshotRequest.$Properties} message SnapshotRequest message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            SnapshotRequest.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.snapshotId != null && $Object.hasOwnProperty.call(message, "snapshotId") && (typeof message.snapshotId === "object" ? message.snapshotId.low || message.snapshotId.high : message.snapshotId !== 0))
                    writer.uint32(/* id 1, wireType 0 =*/8).uint64(message.snapshotId);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a SnapshotRequest message from the specified reader or buffer.
             * @function decode
             * @memberof baton.v1.SnapshotRequest
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {baton.v1.SnapshotRequest & baton.v1.SnapshotRequest.$Shape} SnapshotRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            SnapshotRequest.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.baton.v1.SnapshotRequest();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.uint64()) === "object" ? value.low || value.high : value !== 0)
                                message.snapshotId = value;
                            else
                                delete message.snapshotId;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return SnapshotRequest;
        })();

        v1.SnapshotChunk = (function() {

            /**
             * Properties of a SnapshotChunk.
             * @typedef {Object} baton.v1.SnapshotChunk.$Properties
             * @property {string|null} [workerId] SnapshotChunk workerId
             * @property {baton.v1.Epoch.$Properties|null} [epoch] SnapshotChunk epoch
             * @property {number|null} [snapshotId] SnapshotChunk snapshotId
             * @property {number|null} [index] SnapshotChunk index
             * @property {number|null} [count] SnapshotChunk count
             * @property {number|null} [seq] SnapshotChunk seq
             * @property {Array.<baton.v1.KvOp.$Properties>|null} [ops] SnapshotChunk ops
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a SnapshotChunk.
             * @memberof baton.v1
             * @interface ISnapshotChunk
             * @augments baton.v1.SnapshotChunk.$Properties
             * @deprecated Use baton.v1.SnapshotChunk.$Properties instead.
             */

            /**
             * Shape of a SnapshotChunk.
             * @typedef {baton.v1.SnapshotChunk.$Properties} baton.v1.SnapshotChunk.$Shape
             */

            /**
             * Constructs a new SnapshotChunk.
             * @memberof baton.v1
             * @classdesc Represents a SnapshotChunk.
             * @constructor
             * @param {baton.v1.SnapshotChunk.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const SnapshotChunk = function (properties) {
                this.ops = [];
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * SnapshotChunk workerId.
             * @member {string} workerId
             * @memberof baton.v1.SnapshotChunk
             * @instance
             */
            SnapshotChunk.prototype.workerId = "";

            /**
             * SnapshotChunk epoch.
             * @member {baton.v1.Epoch.$Properties|null|undefined} epoch
             * @memberof baton.v1.SnapshotChunk
             * @instance
             */
            SnapshotChunk.prototype.epoch = null;

            /**
             * SnapshotChunk snapshotId.
             * @member {number} snapshotId
             * @memberof baton.v1.SnapshotChunk
             * @instance
             */
            SnapshotChunk.prototype.snapshotId = $util.Long ? $util.Long.fromBits(0,0,true) : 0;

            /**
             * SnapshotChunk index.
             * @member {number} index
             * @memberof baton.v1.SnapshotChunk
             * @instance
             */
            SnapshotChunk.prototype.index = 0;

            /**
             * SnapshotChunk count.
             * @member {number} count
             * @memberof baton.v1.SnapshotChunk
             * @instance
             */
            SnapshotChunk.prototype.count = 0;

            /**
             * SnapshotChunk seq.
             * @member {number} seq
             * @memberof baton.v1.SnapshotChunk
             * @instance
             */
            SnapshotChunk.prototype.seq = $util.Long ? $util.Long.fromBits(0,0,true) : 0;

            /**
             * SnapshotChunk ops.
             * @member {Array.<baton.v1.KvOp.$Properties>} ops
             * @memberof baton.v1.SnapshotChunk
             * @instance
             */
            SnapshotChunk.prototype.ops = $util.emptyArray;

            /**
             * Creates a new SnapshotChunk instance using the specified properties.
             * @function create
             * @memberof baton.v1.SnapshotChunk
             * @static
             * @param {baton.v1.SnapshotChunk.$Properties=} [properties] Properties to set
             * @returns {baton.v1.SnapshotChunk} SnapshotChunk instance
             * @type {{
             *   (properties: baton.v1.SnapshotChunk.$Shape): baton.v1.SnapshotChunk & baton.v1.SnapshotChunk.$Shape;
             *   (properties?: baton.v1.SnapshotChunk.$Properties): baton.v1.SnapshotChunk;
             * }}
             */
            SnapshotChunk.create = function(properties) {
                return new SnapshotChunk(properties);
            };

            /**
             * Encodes the specified SnapshotChunk message. Does not implicitly {@link baton.v1.SnapshotChunk.verify|verify} messages.
             * @function encode
             * @memberof baton.v1.SnapshotChunk
             * @static
             * @param {baton.v1.SnapshotChunk.$Properties} message SnapshotChunk message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            SnapshotChunk.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.workerId != null && $Object.hasOwnProperty.call(message, "workerId") && message.workerId !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.workerId);
                if (message.epoch != null && $Object.hasOwnProperty.call(message, "epoch"))
                    $root.baton.v1.Epoch.encode(message.epoch, writer.uint32(/* id 2, wireType 2 =*/18).fork(), _depth + 1).ldelim();
                if (message.snapshotId != null && $Object.hasOwnProperty.call(message, "snapshotId") && (typeof message.snapshotId === "object" ? message.snapshotId.low || message.snapshotId.high : message.snapshotId !== 0))
                    writer.uint32(/* id 3, wireType 0 =*/24).uint64(message.snapshotId);
                if (message.index != null && $Object.hasOwnProperty.call(message, "index") && message.index !== 0)
                    writer.uint32(/* id 4, wireType 0 =*/32).uint32(message.index);
                if (message.count != null && $Object.hasOwnProperty.call(message, "count") && message.count !== 0)
                    writer.uint32(/* id 5, wireType 0 =*/40).uint32(message.count);
                if (message.seq != null && $Object.hasOwnProperty.call(message, "seq") && (typeof message.seq === "object" ? message.seq.low || message.seq.high : message.seq !== 0))
                    writer.uint32(/* id 6, wireType 0 =*/48).uint64(message.seq);
                if (message.ops != null && message.ops.length)
                    for (let i = 0; i < message.ops.length; ++i)
                        $root.baton.v1.KvOp.encode(message.ops[i], writer.uint32(/* id 7, wireType 2 =*/58).fork(), _depth + 1).ldelim();
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a SnapshotChunk message from the specified reader or buffer.
             * @function decode
             * @memberof baton.v1.SnapshotChunk
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {baton.v1.SnapshotChunk & baton.v1.SnapshotChunk.$Shape} SnapshotChunk
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            SnapshotChunk.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.baton.v1.SnapshotChunk();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.workerId = value;
                            else
                                delete message.workerId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            message.epoch = $root.baton.v1.Epoch.decode(reader, reader.size(), $undefined, _depth + 1, message.epoch);
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.uint64()) === "object" ? value.low || value.high : value !== 0)
                                message.snapshotId = value;
                            else
                                delete message.snapshotId;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.index = value;
                            else
                                delete message.index;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.count = value;
                            else
                                delete message.count;
                            continue;
                        }
                    case 6: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.uint64()) === "object" ? value.low || value.high : value !== 0)
                                message.seq = value;
                            else
                                delete message.seq;
                            continue;
                        }
                    case 7: {
                            if (wireType !== 2)
                                break;
                            if (!(message.ops && message.ops.length))
                                message.ops = [];
                            message.ops.push($root.baton.v1.KvOp.decode(reader, reader.size(), $undefined, _depth + 1));
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return SnapshotChunk;
        })();

        v1.EngineMessage = (function() {

            /**
             * Properties of an EngineMessage.
             * @typedef {Object} baton.v1.EngineMessage.$Properties
             * @property {baton.v1.EngineHello.$Properties|null} [hello] EngineMessage hello
             * @property {baton.v1.LoadReport.$Properties|null} [load] EngineMessage load
             * @property {baton.v1.LoadRequest.$Properties|null} [loadSegments] EngineMessage loadSegments
             * @property {baton.v1.ReleasePages.$Properties|null} [release] EngineMessage release
             * @property {baton.v1.ReserveRequest.$Properties|null} [reserve] EngineMessage reserve
             * @property {baton.v1.CommitSegment.$Properties|null} [commit] EngineMessage commit
             * @property {baton.v1.HandoverReady.$Properties|null} [handoverReady] EngineMessage handoverReady
             * @property {baton.v1.RequestEnded.$Properties|null} [ended] EngineMessage ended
             * @property {baton.v1.ExportReply.$Properties|null} [exportReply] EngineMessage exportReply
             * @property {baton.v1.DamagedPage.$Properties|null} [damaged] EngineMessage damaged
             * @property {"hello"|"load"|"loadSegments"|"release"|"reserve"|"commit"|"handoverReady"|"ended"|"exportReply"|"damaged"} [message] EngineMessage message
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of an EngineMessage.
             * @memberof baton.v1
             * @interface IEngineMessage
             * @augments baton.v1.EngineMessage.$Properties
             * @deprecated Use baton.v1.EngineMessage.$Properties instead.
             */

            /**
             * Narrowed shape of an EngineMessage.
             * @typedef {{
             *   hello?: baton.v1.EngineHello.$Shape|null;
             *   load?: baton.v1.LoadReport.$Shape|null;
             *   loadSegments?: baton.v1.LoadRequest.$Shape|null;
             *   release?: baton.v1.ReleasePages.$Shape|null;
             *   reserve?: baton.v1.ReserveRequest.$Shape|null;
             *   commit?: baton.v1.CommitSegment.$Shape|null;
             *   handoverReady?: baton.v1.HandoverReady.$Shape|null;
             *   ended?: baton.v1.RequestEnded.$Shape|null;
             *   exportReply?: baton.v1.ExportReply.$Shape|null;
             *   damaged?: baton.v1.DamagedPage.$Shape|null;
             *   $unknowns?: Array.<Uint8Array>;
             * } & (
             *   ({ message?: undefined; hello?: null; load?: null; loadSegments?: null; release?: null; reserve?: null; commit?: null; handoverReady?: null; ended?: null; exportReply?: null; damaged?: null }|{ message?: "hello"; hello: baton.v1.EngineHello.$Shape; load?: null; loadSegments?: null; release?: null; reserve?: null; commit?: null; handoverReady?: null; ended?: null; exportReply?: null; damaged?: null }|{ message?: "load"; hello?: null; load: baton.v1.LoadReport.$Shape; loadSegments?: null; release?: null; reserve?: null; commit?: null; handoverReady?: null; ended?: null; exportReply?: null; damaged?: null }|{ message?: "loadSegments"; hello?: null; load?: null; loadSegments: baton.v1.LoadRequest.$Shape; release?: null; reserve?: null; commit?: null; handoverReady?: null; ended?: null; exportReply?: null; damaged?: null }|{ message?: "release"; hello?: null; load?: null; loadSegments?: null; release: baton.v1.ReleasePages.$Shape; reserve?: null; commit?: null; handoverReady?: null; ended?: null; exportReply?: null; damaged?: null }|{ message?: "reserve"; hello?: null; load?: null; loadSegments?: null; release?: null; reserve: baton.v1.ReserveRequest.$Shape; commit?: null; handoverReady?: null; ended?: null; exportReply?: null; damaged?: null }|{ message?: "commit"; hello?: null; load?: null; loadSegments?: null; release?: null; reserve?: null; commit: baton.v1.CommitSegment.$Shape; handoverReady?: null; ended?: null; exportReply?: null; damaged?: null }|{ message?: "handoverReady"; hello?: null; load?: null; loadSegments?: null; release?: null; reserve?: null; commit?: null; handoverReady: baton.v1.HandoverReady.$Shape; ended?: null; exportReply?: null; damaged?: null }|{ message?: "ended"; hello?: null; load?: null; loadSegments?: null; release?: null; reserve?: null; commit?: null; handoverReady?: null; ended: baton.v1.RequestEnded.$Shape; exportReply?: null; damaged?: null }|{ message?: "exportReply"; hello?: null; load?: null; loadSegments?: null; release?: null; reserve?: null; commit?: null; handoverReady?: null; ended?: null; exportReply: baton.v1.ExportReply.$Shape; damaged?: null }|{ message?: "damaged"; hello?: null; load?: null; loadSegments?: null; release?: null; reserve?: null; commit?: null; handoverReady?: null; ended?: null; exportReply?: null; damaged: baton.v1.DamagedPage.$Shape })
             * )} baton.v1.EngineMessage.$Shape
             */

            /**
             * Constructs a new EngineMessage.
             * @memberof baton.v1
             * @classdesc Represents an EngineMessage.
             * @constructor
             * @param {baton.v1.EngineMessage.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const EngineMessage = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * EngineMessage hello.
             * @member {baton.v1.EngineHello.$Properties|null|undefined} hello
             * @memberof baton.v1.EngineMessage
             * @instance
             */
            EngineMessage.prototype.hello = null;

            /**
             * EngineMessage load.
             * @member {baton.v1.LoadReport.$Properties|null|undefined} load
             * @memberof baton.v1.EngineMessage
             * @instance
             */
            EngineMessage.prototype.load = null;

            /**
             * EngineMessage loadSegments.
             * @member {baton.v1.LoadRequest.$Properties|null|undefined} loadSegments
             * @memberof baton.v1.EngineMessage
             * @instance
             */
            EngineMessage.prototype.loadSegments = null;

            /**
             * EngineMessage release.
             * @member {baton.v1.ReleasePages.$Properties|null|undefined} release
             * @memberof baton.v1.EngineMessage
             * @instance
             */
            EngineMessage.prototype.release = null;

            /**
             * EngineMessage reserve.
             * @member {baton.v1.ReserveRequest.$Properties|null|undefined} reserve
             * @memberof baton.v1.EngineMessage
             * @instance
             */
            EngineMessage.prototype.reserve = null;

            /**
             * EngineMessage commit.
             * @member {baton.v1.CommitSegment.$Properties|null|undefined} commit
             * @memberof baton.v1.EngineMessage
             * @instance
             */
            EngineMessage.prototype.commit = null;

            /**
             * EngineMessage handoverReady.
             * @member {baton.v1.HandoverReady.$Properties|null|undefined} handoverReady
             * @memberof baton.v1.EngineMessage
             * @instance
             */
            EngineMessage.prototype.handoverReady = null;

            /**
             * EngineMessage ended.
             * @member {baton.v1.RequestEnded.$Properties|null|undefined} ended
             * @memberof baton.v1.EngineMessage
             * @instance
             */
            EngineMessage.prototype.ended = null;

            /**
             * EngineMessage exportReply.
             * @member {baton.v1.ExportReply.$Properties|null|undefined} exportReply
             * @memberof baton.v1.EngineMessage
             * @instance
             */
            EngineMessage.prototype.exportReply = null;

            /**
             * EngineMessage damaged.
             * @member {baton.v1.DamagedPage.$Properties|null|undefined} damaged
             * @memberof baton.v1.EngineMessage
             * @instance
             */
            EngineMessage.prototype.damaged = null;

            // OneOf field names bound to virtual getters and setters
            let $oneOfFields;

            /**
             * EngineMessage message.
             * @member {"hello"|"load"|"loadSegments"|"release"|"reserve"|"commit"|"handoverReady"|"ended"|"exportReply"|"damaged"|undefined} message
             * @memberof baton.v1.EngineMessage
             * @instance
             */
            $Object.defineProperty(EngineMessage.prototype, "message", {
                get: $util.oneOfGetter($oneOfFields = ["hello", "load", "loadSegments", "release", "reserve", "commit", "handoverReady", "ended", "exportReply", "damaged"]),
                set: $util.oneOfSetter($oneOfFields)
            });

            /**
             * Creates a new EngineMessage instance using the specified properties.
             * @function create
             * @memberof baton.v1.EngineMessage
             * @static
             * @param {baton.v1.EngineMessage.$Properties=} [properties] Properties to set
             * @returns {baton.v1.EngineMessage} EngineMessage instance
             * @type {{
             *   (properties: baton.v1.EngineMessage.$Shape): baton.v1.EngineMessage & baton.v1.EngineMessage.$Shape;
             *   (properties?: baton.v1.EngineMessage.$Properties): baton.v1.EngineMessage;
             * }}
             */
            EngineMessage.create = function(properties) {
                return new EngineMessage(properties);
            };

            /**
             * Encodes the specified EngineMessage message. Does not implicitly {@link baton.v1.EngineMessage.verify|verify} messages.
             * @function encode
             * @memberof baton.v1.EngineMessage
             * @static
             * @param {baton.v1.EngineMessage.$Properties} message EngineMessage message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            EngineMessage.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.hello != null && $Object.hasOwnProperty.call(message, "hello"))
                    $root.baton.v1.EngineHello.encode(message.hello, writer.uint32(/* id 1, wireType 2 =*/10).fork(), _depth + 1).ldelim();
                if (message.load != null && $Object.hasOwnProperty.call(message, "load"))
                    $root.baton.v1.LoadReport.encode(message.load, writer.uint32(/* id 2, wireType 2 =*/18).fork(), _depth + 1).ldelim();
                if (message.loadSegments != null && $Object.hasOwnProperty.call(message, "loadSegments"))
                    $root.baton.v1.LoadRequest.encode(message.loadSegments, writer.uint32(/* id 3, wireType 2 =*/26).fork(), _depth + 1).ldelim();
                if (message.release != null && $Object.hasOwnProperty.call(message, "release"))
                    $root.baton.v1.ReleasePages.encode(message.release, writer.uint32(/* id 4, wireType 2 =*/34).fork(), _depth + 1).ldelim();
                if (message.reserve != null && $Object.hasOwnProperty.call(message, "reserve"))
                    $root.baton.v1.ReserveRequest.encode(message.reserve, writer.uint32(/* id 5, wireType 2 =*/42).fork(), _depth + 1).ldelim();
                if (message.commit != null && $Object.hasOwnProperty.call(message, "commit"))
                    $root.baton.v1.CommitSegment.encode(message.commit, writer.uint32(/* id 6, wireType 2 =*/50).fork(), _depth + 1).ldelim();
                if (message.handoverReady != null && $Object.hasOwnProperty.call(message, "handoverReady"))
                    $root.baton.v1.HandoverReady.encode(message.handoverReady, writer.uint32(/* id 7, wireType 2 =*/58).fork(), _depth + 1).ldelim();
                if (message.ended != null && $Object.hasOwnProperty.call(message, "ended"))
                    $root.baton.v1.RequestEnded.encode(message.ended, writer.uint32(/* id 8, wireType 2 =*/66).fork(), _depth + 1).ldelim();
                if (message.exportReply != null && $Object.hasOwnProperty.call(message, "exportReply"))
                    $root.baton.v1.ExportReply.encode(message.exportReply, writer.uint32(/* id 9, wireType 2 =*/74).fork(), _depth + 1).ldelim();
                if (message.damaged != null && $Object.hasOwnProperty.call(message, "damaged"))
                    $root.baton.v1.DamagedPage.encode(message.damaged, writer.uint32(/* id 10, wireType 2 =*/82).fork(), _depth + 1).ldelim();
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes an EngineMessage message from the specified reader or buffer.
             * @function decode
             * @memberof baton.v1.EngineMessage
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {baton.v1.EngineMessage & baton.v1.EngineMessage.$Shape} EngineMessage
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            EngineMessage.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.baton.v1.EngineMessage();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            message.hello = $root.baton.v1.EngineHello.decode(reader, reader.size(), $undefined, _depth + 1, message.hello);
                            message.message = "hello";
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            message.load = $root.baton.v1.LoadReport.decode(reader, reader.size(), $undefined, _depth + 1, message.load);
                            message.message = "load";
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            message.loadSegments = $root.baton.v1.LoadRequest.decode(reader, reader.size(), $undefined, _depth + 1, message.loadSegments);
                            message.message = "loadSegments";
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            message.release = $root.baton.v1.ReleasePages.decode(reader, reader.size(), $undefined, _depth + 1, message.release);
                            message.message = "release";
                            continue;
                        }
                    case 5: {
                            if (wireType !== 2)
                                break;
                            message.reserve = $root.baton.v1.ReserveRequest.decode(reader, reader.size(), $undefined, _depth + 1, message.reserve);
                            message.message = "reserve";
                            continue;
                        }
                    case 6: {
                            if (wireType !== 2)
                                break;
                            message.commit = $root.baton.v1.CommitSegment.decode(reader, reader.size(), $undefined, _depth + 1, message.commit);
                            message.message = "commit";
                            continue;
                        }
                    case 7: {
                            if (wireType !== 2)
                                break;
                            message.handoverReady = $root.baton.v1.HandoverReady.decode(reader, reader.size(), $undefined, _depth + 1, message.handoverReady);
                            message.message = "handoverReady";
                            continue;
                        }
                    case 8: {
                            if (wireType !== 2)
                                break;
                            message.ended = $root.baton.v1.RequestEnded.decode(reader, reader.size(), $undefined, _depth + 1, message.ended);
                            message.message = "ended";
                            continue;
                        }
                    case 9: {
                            if (wireType !== 2)
                                break;
                            message.exportReply = $root.baton.v1.ExportReply.decode(reader, reader.size(), $undefined, _depth + 1, message.exportReply);
                            message.message = "exportReply";
                            continue;
                        }
                    case 10: {
                            if (wireType !== 2)
                                break;
                            message.damaged = $root.baton.v1.DamagedPage.decode(reader, reader.size(), $undefined, _depth + 1, message.damaged);
                            message.message = "damaged";
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return EngineMessage;
        })();

        v1.AgentMessage = (function() {

            /**
             * Properties of an AgentMessage.
             * @typedef {Object} baton.v1.AgentMessage.$Properties
             * @property {baton.v1.AgentHello.$Properties|null} [hello] AgentMessage hello
             * @property {baton.v1.SegmentLoaded.$Properties|null} [segment] AgentMessage segment
             * @property {baton.v1.LoadEnd.$Properties|null} [loadEnd] AgentMessage loadEnd
             * @property {baton.v1.ReserveReply.$Properties|null} [reserved] AgentMessage reserved
             * @property {baton.v1.ExportRequest.$Properties|null} ["export"] AgentMessage export
             * @property {baton.v1.LinkRefused.$Properties|null} [refused] AgentMessage refused
             * @property {baton.v1.AgentAlive.$Properties|null} [alive] AgentMessage alive
             * @property {"hello"|"segment"|"loadEnd"|"reserved"|"export"|"refused"|"alive"} [message] AgentMessage message
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of an AgentMessage.
             * @memberof baton.v1
             * @interface IAgentMessage
             * @augments baton.v1.AgentMessage.$Properties
             * @deprecated Use baton.v1.AgentMessage.$Properties instead.
             */

            /**
             * Narrowed shape of an AgentMessage.
             * @typedef {{
             *   hello?: baton.v1.AgentHello.$Shape|null;
             *   segment?: baton.v1.SegmentLoaded.$Shape|null;
             *   loadEnd?: baton.v1.LoadEnd.$Shape|null;
             *   reserved?: baton.v1.ReserveReply.$Shape|null;
             *   "export"?: baton.v1.ExportRequest.$Shape|null;
             *   refused?: baton.v1.LinkRefused.$Shape|null;
             *   alive?: baton.v1.AgentAlive.$Shape|null;
             *   $unknowns?: Array.<Uint8Array>;
             * } & (
             *   ({ message?: undefined; hello?: null; segment?: null; loadEnd?: null; reserved?: null; "export"?: null; refused?: null; alive?: null }|{ message?: "hello"; hello: baton.v1.AgentHello.$Shape; segment?: null; loadEnd?: null; reserved?: null; "export"?: null; refused?: null; alive?: null }|{ message?: "segment"; hello?: null; segment: baton.v1.SegmentLoaded.$Shape; loadEnd?: null; reserved?: null; "export"?: null; refused?: null; alive?: null }|{ message?: "loadEnd"; hello?: null; segment?: null; loadEnd: baton.v1.LoadEnd.$Shape; reserved?: null; "export"?: null; refused?: null; alive?: null }|{ message?: "reserved"; hello?: null; segment?: null; loadEnd?: null; reserved: baton.v1.ReserveReply.$Shape; "export"?: null; refused?: null; alive?: null }|{ message?: "export"; hello?: null; segment?: null; loadEnd?: null; reserved?: null; "export": baton.v1.ExportRequest.$Shape; refused?: null; alive?: null }|{ message?: "refused"; hello?: null; segment?: null; loadEnd?: null; reserved?: null; "export"?: null; refused: baton.v1.LinkRefused.$Shape; alive?: null }|{ message?: "alive"; hello?: null; segment?: null; loadEnd?: null; reserved?: null; "export"?: null; refused?: null; alive: baton.v1.AgentAlive.$Shape })
             * )} baton.v1.AgentMessage.$Shape
             */

            /**
             * Constructs a new AgentMessage.
             * @memberof baton.v1
             * @classdesc Represents an AgentMessage.
             * @constructor
             * @param {baton.v1.AgentMessage.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const AgentMessage = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * AgentMessage hello.
             * @member {baton.v1.AgentHello.$Properties|null|undefined} hello
             * @memberof baton.v1.AgentMessage
             * @instance
             */
            AgentMessage.prototype.hello = null;

            /**
             * AgentMessage segment.
             * @member {baton.v1.SegmentLoaded.$Properties|null|undefined} segment
             * @memberof baton.v1.AgentMessage
             * @instance
             */
            AgentMessage.prototype.segment = null;

            /**
             * AgentMessage loadEnd.
             * @member {baton.v1.LoadEnd.$Properties|null|undefined} loadEnd
             * @memberof baton.v1.AgentMessage
             * @instance
             */
            AgentMessage.prototype.loadEnd = null;

            /**
             * AgentMessage reserved.
             * @member {baton.v1.ReserveReply.$Properties|null|undefined} reserved
             * @memberof baton.v1.AgentMessage
             * @instance
             */
            AgentMessage.prototype.reserved = null;

            /**
             * AgentMessage export.
             * @member {baton.v1.ExportRequest.$Properties|null|undefined} export
             * @memberof baton.v1.AgentMessage
             * @instance
             */
            AgentMessage.prototype["export"] = null;

            /**
             * AgentMessage refused.
             * @member {baton.v1.LinkRefused.$Properties|null|undefined} refused
             * @memberof baton.v1.AgentMessage
             * @instance
             */
            AgentMessage.prototype.refused = null;

            /**
             * AgentMessage alive.
             * @member {baton.v1.AgentAlive.$Properties|null|undefined} alive
             * @memberof baton.v1.AgentMessage
             * @instance
             */
            AgentMessage.prototype.alive = null;

            // OneOf field names bound to virtual getters and setters
            let $oneOfFields;

            /**
             * AgentMessage message.
             * @member {"hello"|"segment"|"loadEnd"|"reserved"|"export"|"refused"|"alive"|undefined} message
             * @memberof baton.v1.AgentMessage
             * @instance
             */
            $Object.defineProperty(AgentMessage.prototype, "message", {
                get: $util.oneOfGetter($oneOfFields = ["hello", "segment", "loadEnd", "reserved", "export", "refused", "alive"]),
                set: $util.oneOfSetter($oneOfFields)
            });

            /**
             * Creates a new AgentMessage instance using the specified properties.
             * @function create
             * @memberof baton.v1.AgentMessage
             * @static
             * @param {baton.v1.AgentMessage.$Properties=} [properties] Properties to set
             * @returns {baton.v1.AgentMessage} AgentMessage instance
             * @type {{
             *   (properties: baton.v1.AgentMessage.$Shape): baton.v1.AgentMessage & baton.v1.AgentMessage.$Shape;
             *   (properties?: baton.v1.AgentMessage.$Properties): baton.v1.AgentMessage;
             * }}
             */
            AgentMessage.create = function(properties) {
                return new AgentMessage(properties);
            };

            /**
             * Encodes the specified AgentMessage message. Does not implicitly {@link baton.v1.AgentMessage.verify|verify} messages.
             * @function encode
             * @memberof baton.v1.AgentMessage
             * @static
             * @param {baton.v1.AgentMessage.$Properties} message AgentMessage message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            AgentMessage.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.hello != null && $Object.hasOwnProperty.call(message, "hello"))
                    $root.baton.v1.AgentHello.encode(message.hello, writer.uint32(/* id 1, wireType 2 =*/10).fork(), _depth + 1).ldelim();
                if (message.segment != null && $Object.hasOwnProperty.call(message, "segment"))
                    $root.baton.v1.SegmentLoaded.encode(message.segment, writer.uint32(/* id 2, wireType 2 =*/18).fork(), _depth + 1).ldelim();
                if (message.loadEnd != null && $Object.hasOwnProperty.call(message, "loadEnd"))
                    $root.baton.v1.LoadEnd.encode(message.loadEnd, writer.uint32(/* id 3, wireType 2 =*/26).fork(), _depth + 1).ldelim();
                if (message.reserved != null && $Object.hasOwnProperty.call(message, "reserved"))
                    $root.baton.v1.ReserveReply.encode(message.reserved, writer.uint32(/* id 4, wireType 2 =*/34).fork(), _depth + 1).ldelim();
                if (message["export"] != null && $Object.hasOwnProperty.call(message, "export"))
                    $root.baton.v1.ExportRequest.encode(message["export"], writer.uint32(/* id 5, wireType 2 =*/42).fork(), _depth + 1).ldelim();
                if (message.refused != null && $Object.hasOwnProperty.call(message, "refused"))
                    $root.baton.v1.LinkRefused.encode(message.refused, writer.uint32(/* id 6, wireType 2 =*/50).fork(), _depth + 1).ldelim();
                if (message.alive != null && $Object.hasOwnProperty.call(message, "alive"))
                    $root.baton.v1.AgentAlive.encode(message.alive, writer.uint32(/* id 7, wireType 2 =*/58).fork(), _depth + 1).ldelim();
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes an AgentMessage message from the specified reader or buffer.
             * @function decode
             * @memberof baton.v1.AgentMessage
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {baton.v1.AgentMessage & baton.v1.AgentMessage.$Shape} AgentMessage
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            AgentMessage.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.baton.v1.AgentMessage();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            message.hello = $root.baton.v1.AgentHello.decode(reader, reader.size(), $undefined, _depth + 1, message.hello);
                            message.message = "hello";
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            message.segment = $root.baton.v1.SegmentLoaded.decode(reader, reader.size(), $undefined, _depth + 1, message.segment);
                            message.message = "segment";
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            message.loadEnd = $root.baton.v1.LoadEnd.decode(reader, reader.size(), $undefined, _depth + 1, message.loadEnd);
                            message.message = "loadEnd";
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            message.reserved = $root.baton.v1.ReserveReply.decode(reader, reader.size(), $undefined, _depth + 1, message.reserved);
                            message.message = "reserved";
                            continue;
                        }
                    case 5: {
                            if (wireType !== 2)
                                break;
                            message["export"] = $root.baton.v1.ExportRequest.decode(reader, reader.size(), $undefined, _depth + 1, message["export"]);
                            message.message = "export";
                            continue;
                        }
                    case 6: {
                            if (wireType !== 2)
                                break;
                            message.refused = $root.baton.v1.LinkRefused.decode(reader, reader.size(), $undefined, _depth + 1, message.refused);
                            message.message = "refused";
                            continue;
                        }
                    case 7: {
                            if (wireType !== 2)
                                break;
                            message.alive = $root.baton.v1.AgentAlive.decode(reader, reader.size(), $undefined, _depth + 1, message.alive);
                            message.message = "alive";
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return AgentMessage;
        })();

        v1.EngineHello = (function() {

            /**
             * Properties of an EngineHello.
             * @typedef {Object} baton.v1.EngineHello.$Properties
             * @property {baton.v1.Worker.$Properties|null} [worker] EngineHello worker
             * @property {string|null} [eventsEndpoint] EngineHello eventsEndpoint
             * @property {string|null} [replayEndpoint] EngineHello replayEndpoint
             * @property {number|null} [pageBytes] EngineHello pageBytes
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of an EngineHello.
             * @memberof baton.v1
             * @interface IEngineHello
             * @augments baton.v1.EngineHello.$Properties
             * @deprecated Use baton.v1.EngineHello.$Properties instead.
             */

            /**
             * Shape of an EngineHello.
             * @typedef {baton.v1.EngineHello.$Properties} baton.v1.EngineHello.$Shape
             */

            /**
             * Constructs a new EngineHello.
             * @memberof baton.v1
             * @classdesc Represents an EngineHello.
             * @constructor
             * @param {baton.v1.EngineHello.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const EngineHello = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * EngineHello worker.
             * @member {baton.v1.Worker.$Properties|null|undefined} worker
             * @memberof baton.v1.EngineHello
             * @instance
             */
            EngineHello.prototype.worker = null;

            /**
             * EngineHello eventsEndpoint.
             * @member {string} eventsEndpoint
             * @memberof baton.v1.EngineHello
             * @instance
             */
            EngineHello.prototype.eventsEndpoint = "";

            /**
             * EngineHello replayEndpoint.
             * @member {string} replayEndpoint
             * @memberof baton.v1.EngineHello
             * @instance
             */
            EngineHello.prototype.replayEndpoint = "";

            /**
             * EngineHello pageBytes.
             * @member {number} pageBytes
             * @memberof baton.v1.EngineHello
             * @instance
             */
            EngineHello.prototype.pageBytes = 0;

            /**
             * Creates a new EngineHello instance using the specified properties.
             * @function create
             * @memberof baton.v1.EngineHello
             * @static
             * @param {baton.v1.EngineHello.$Properties=} [properties] Properties to set
             * @returns {baton.v1.EngineHello} EngineHello instance
             * @type {{
             *   (properties: baton.v1.EngineHello.$Shape): baton.v1.EngineHello & baton.v1.EngineHello.$Shape;
             *   (properties?: baton.v1.EngineHello.$Properties): baton.v1.EngineHello;
             * }}
             */
            EngineHello.create = function(properties) {
                return new EngineHello(properties);
            };

            /**
             * Encodes the specified EngineHello message. Does not implicitly {@link baton.v1.EngineHello.verify|verify} messages.
             * @function encode
             * @memberof baton.v1.EngineHello
             * @static
             * @param {baton.v1.EngineHello.$Properties} message EngineHello message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            EngineHello.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.worker != null && $Object.hasOwnProperty.call(message, "worker"))
                    $root.baton.v1.Worker.encode(message.worker, writer.uint32(/* id 1, wireType 2 =*/10).fork(), _depth + 1).ldelim();
                if (message.eventsEndpoint != null && $Object.hasOwnProperty.call(message, "eventsEndpoint") && message.eventsEndpoint !== "")
                    writer.uint32(/* id 2, wireType 2 =*/18).string(message.eventsEndpoint);
                if (message.replayEndpoint != null && $Object.hasOwnProperty.call(message, "replayEndpoint") && message.replayEndpoint !== "")
                    writer.uint32(/* id 3, wireType 2 =*/26).string(message.replayEndpoint);
                if (message.pageBytes != null && $Object.hasOwnProperty.call(message, "pageBytes") && message.pageBytes !== 0)
                    writer.uint32(/* id 4, wireType 0 =*/32).uint32(message.pageBytes);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes an EngineHello message from the specified reader or buffer.
             * @function decode
             * @memberof baton.v1.EngineHello
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {baton.v1.EngineHello & baton.v1.EngineHello.$Shape} EngineHello
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            EngineHello.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.baton.v1.EngineHello();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            message.worker = $root.baton.v1.Worker.decode(reader, reader.size(), $undefined, _depth + 1, message.worker);
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.eventsEndpoint = value;
                            else
                                delete message.eventsEndpoint;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.replayEndpoint = value;
                            else
                                delete message.replayEndpoint;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.pageBytes = value;
                            else
                                delete message.pageBytes;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return EngineHello;
        })();

        v1.AgentHello = (function() {

            /**
             * Properties of an AgentHello.
             * @typedef {Object} baton.v1.AgentHello.$Properties
             * @property {string|null} [workerId] AgentHello workerId
             * @property {baton.v1.Epoch.$Properties|null} [epoch] AgentHello epoch
             * @property {string|null} [arenaPath] AgentHello arenaPath
             * @property {number|null} [arenaBytes] AgentHello arenaBytes
             * @property {number|null} [pageBytes] AgentHello pageBytes
             * @property {number|null} [pageCount] AgentHello pageCount
             * @property {string|null} [tokenization] AgentHello tokenization
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of an AgentHello.
             * @memberof baton.v1
             * @interface IAgentHello
             * @augments baton.v1.AgentHello.$Properties
             * @deprecated Use baton.v1.AgentHello.$Properties instead.
             */

            /**
             * Shape of an AgentHello.
             * @typedef {baton.v1.AgentHello.$Properties} baton.v1.AgentHello.$Shape
             */

            /**
             * Constructs a new AgentHello.
             * @memberof baton.v1
             * @classdesc Represents an AgentHello.
             * @constructor
             * @param {baton.v1.AgentHello.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const AgentHello = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * AgentHello workerId.
             * @member {string} workerId
             * @memberof baton.v1.AgentHello
             * @instance
             */
            AgentHello.prototype.workerId = "";

            /**
             * AgentHello epoch.
             * @member {baton.v1.Epoch.$Properties|null|undefined} epoch
             * @memberof baton.v1.AgentHello
             * @instance
             */
            AgentHello.prototype.epoch = null;

            /**
             * AgentHello arenaPath.
             * @member {string} arenaPath
             * @memberof baton.v1.AgentHello
             * @instance
             */
            AgentHello.prototype.arenaPath = "";

            /**
             * AgentHello arenaBytes.
             * @member {number} arenaBytes
             * @memberof baton.v1.AgentHello
             * @instance
             */
            AgentHello.prototype.arenaBytes = $util.Long ? $util.Long.fromBits(0,0,true) : 0;

            /**
             * AgentHello pageBytes.
             * @member {number} pageBytes
             * @memberof baton.v1.AgentHello
             * @instance
             */
            AgentHello.prototype.pageBytes = 0;

            /**
             * AgentHello pageCount.
             * @member {number} pageCount
             * @memberof baton.v1.AgentHello
             * @instance
             */
            AgentHello.prototype.pageCount = 0;

            /**
             * AgentHello tokenization.
             * @member {string} tokenization
             * @memberof baton.v1.AgentHello
             * @instance
             */
            AgentHello.prototype.tokenization = "";

            /**
             * Creates a new AgentHello instance using the specified properties.
             * @function create
             * @memberof baton.v1.AgentHello
             * @static
             * @param {baton.v1.AgentHello.$Properties=} [properties] Properties to set
             * @returns {baton.v1.AgentHello} AgentHello instance
             * @type {{
             *   (properties: baton.v1.AgentHello.$Shape): baton.v1.AgentHello & baton.v1.AgentHello.$Shape;
             *   (properties?: baton.v1.AgentHello.$Properties): baton.v1.AgentHello;
             * }}
             */
            AgentHello.create = function(properties) {
                return new AgentHello(properties);
            };

            /**
             * Encodes the specified AgentHello message. Does not implicitly {@link baton.v1.AgentHello.verify|verify} messages.
             * @function encode
             * @memberof baton.v1.AgentHello
             * @static
             * @param {baton.v1.AgentHello.$Properties} message AgentHello message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            AgentHello.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.workerId != null && $Object.hasOwnProperty.call(message, "workerId") && message.workerId !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.workerId);
                if (message.epoch != null && $Object.hasOwnProperty.call(message, "epoch"))
                    $root.baton.v1.Epoch.encode(message.epoch, writer.uint32(/* id 2, wireType 2 =*/18).fork(), _depth + 1).ldelim();
                if (message.arenaPath != null && $Object.hasOwnProperty.call(message, "arenaPath") && message.arenaPath !== "")
                    writer.uint32(/* id 3, wireType 2 =*/26).string(message.arenaPath);
                if (message.arenaBytes != null && $Object.hasOwnProperty.call(message, "arenaBytes") && (typeof message.arenaBytes === "object" ? message.arenaBytes.low || message.arenaBytes.high : message.arenaBytes !== 0))
                    writer.uint32(/* id 4, wireType 0 =*/32).uint64(message.arenaBytes);
                if (message.pageBytes != null && $Object.hasOwnProperty.call(message, "pageBytes") && message.pageBytes !== 0)
                    writer.uint32(/* id 5, wireType 0 =*/40).uint32(message.pageBytes);
                if (message.pageCount != null && $Object.hasOwnProperty.call(message, "pageCount") && message.pageCount !== 0)
                    writer.uint32(/* id 6, wireType 0 =*/48).uint32(message.pageCount);
                if (message.tokenization != null && $Object.hasOwnProperty.call(message, "tokenization") && message.tokenization !== "")
                    writer.uint32(/* id 7, wireType 2 =*/58).string(message.tokenization);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes an AgentHello message from the specified reader or buffer.
             * @function decode
             * @memberof baton.v1.AgentHello
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {baton.v1.AgentHello & baton.v1.AgentHello.$Shape} AgentHello
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            AgentHello.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.baton.v1.AgentHello();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.workerId = value;
                            else
                                delete message.workerId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            message.epoch = $root.baton.v1.Epoch.decode(reader, reader.size(), $undefined, _depth + 1, message.epoch);
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.arenaPath = value;
                            else
                                delete message.arenaPath;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.uint64()) === "object" ? value.low || value.high : value !== 0)
                                message.arenaBytes = value;
                            else
                                delete message.arenaBytes;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.pageBytes = value;
                            else
                                delete message.pageBytes;
                            continue;
                        }
                    case 6: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.pageCount = value;
                            else
                                delete message.pageCount;
                            continue;
                        }
                    case 7: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.tokenization = value;
                            else
                                delete message.tokenization;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return AgentHello;
        })();

        v1.LinkRefused = (function() {

            /**
             * Properties of a LinkRefused.
             * @typedef {Object} baton.v1.LinkRefused.$Properties
             * @property {string|null} [code] LinkRefused code
             * @property {string|null} [message] LinkRefused message
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a LinkRefused.
             * @memberof baton.v1
             * @interface ILinkRefused
             * @augments baton.v1.LinkRefused.$Properties
             * @deprecated Use baton.v1.LinkRefused.$Properties instead.
             */

            /**
             * Shape of a LinkRefused.
             * @typedef {baton.v1.LinkRefused.$Properties} baton.v1.LinkRefused.$Shape
             */

            /**
             * Constructs a new LinkRefused.
             * @memberof baton.v1
             * @classdesc Represents a LinkRefused.
             * @constructor
             * @param {baton.v1.LinkRefused.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const LinkRefused = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * LinkRefused code.
             * @member {string} code
             * @memberof baton.v1.LinkRefused
             * @instance
             */
            LinkRefused.prototype.code = "";

            /**
             * LinkRefused message.
             * @member {string} message
             * @memberof baton.v1.LinkRefused
             * @instance
             */
            LinkRefused.prototype.message = "";

            /**
             * Creates a new LinkRefused instance using the specified properties.
             * @function create
             * @memberof baton.v1.LinkRefused
             * @static
             * @param {baton.v1.LinkRefused.$Properties=} [properties] Properties to set
             * @returns {baton.v1.LinkRefused} LinkRefused instance
             * @type {{
             *   (properties: baton.v1.LinkRefused.$Shape): baton.v1.LinkRefused & baton.v1.LinkRefused.$Shape;
             *   (properties?: baton.v1.LinkRefused.$Properties): baton.v1.LinkRefused;
             * }}
             */
            LinkRefused.create = function(properties) {
                return new LinkRefused(properties);
            };

            /**
             * Encodes the specified LinkRefused message. Does not implicitly {@link baton.v1.LinkRefused.verify|verify} messages.
             * @function encode
             * @memberof baton.v1.LinkRefused
             * @static
             * @param {baton.v1.LinkRefused.$Properties} message LinkRefused message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            LinkRefused.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.code != null && $Object.hasOwnProperty.call(message, "code") && message.code !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.code);
                if (message.message != null && $Object.hasOwnProperty.call(message, "message") && message.message !== "")
                    writer.uint32(/* id 2, wireType 2 =*/18).string(message.message);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a LinkRefused message from the specified reader or buffer.
             * @function decode
             * @memberof baton.v1.LinkRefused
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {baton.v1.LinkRefused & baton.v1.LinkRefused.$Shape} LinkRefused
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            LinkRefused.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.baton.v1.LinkRefused();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.code = value;
                            else
                                delete message.code;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.message = value;
                            else
                                delete message.message;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return LinkRefused;
        })();

        v1.LoadReport = (function() {

            /**
             * Properties of a LoadReport.
             * @typedef {Object} baton.v1.LoadReport.$Properties
             * @property {baton.v1.Load.$Properties|null} [load] LoadReport load
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a LoadReport.
             * @memberof baton.v1
             * @interface ILoadReport
             * @augments baton.v1.LoadReport.$Properties
             * @deprecated Use baton.v1.LoadReport.$Properties instead.
             */

            /**
             * Shape of a LoadReport.
             * @typedef {baton.v1.LoadReport.$Properties} baton.v1.LoadReport.$Shape
             */

            /**
             * Constructs a new LoadReport.
             * @memberof baton.v1
             * @classdesc Represents a LoadReport.
             * @constructor
             * @param {baton.v1.LoadReport.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const LoadReport = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * LoadReport load.
             * @member {baton.v1.Load.$Properties|null|undefined} load
             * @memberof baton.v1.LoadReport
             * @instance
             */
            LoadReport.prototype.load = null;

            /**
             * Creates a new LoadReport instance using the specified properties.
             * @function create
             * @memberof baton.v1.LoadReport
             * @static
             * @param {baton.v1.LoadReport.$Properties=} [properties] Properties to set
             * @returns {baton.v1.LoadReport} LoadReport instance
             * @type {{
             *   (properties: baton.v1.LoadReport.$Shape): baton.v1.LoadReport & baton.v1.LoadReport.$Shape;
             *   (properties?: baton.v1.LoadReport.$Properties): baton.v1.LoadReport;
             * }}
             */
            LoadReport.create = function(properties) {
                return new LoadReport(properties);
            };

            /**
             * Encodes the specified LoadReport message. Does not implicitly {@link baton.v1.LoadReport.verify|verify} messages.
             * @function encode
             * @memberof baton.v1.LoadReport
             * @static
             * @param {baton.v1.LoadReport.$Properties} message LoadReport message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            LoadReport.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.load != null && $Object.hasOwnProperty.call(message, "load"))
                    $root.baton.v1.Load.encode(message.load, writer.uint32(/* id 1, wireType 2 =*/10).fork(), _depth + 1).ldelim();
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a LoadReport message from the specified reader or buffer.
             * @function decode
             * @memberof baton.v1.LoadReport
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {baton.v1.LoadReport & baton.v1.LoadReport.$Shape} LoadReport
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            LoadReport.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.baton.v1.LoadReport();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            message.load = $root.baton.v1.Load.decode(reader, reader.size(), $undefined, _depth + 1, message.load);
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return LoadReport;
        })();

        v1.AgentAlive = (function() {

            /**
             * Properties of an AgentAlive.
             * @typedef {Object} baton.v1.AgentAlive.$Properties
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of an AgentAlive.
             * @memberof baton.v1
             * @interface IAgentAlive
             * @augments baton.v1.AgentAlive.$Properties
             * @deprecated Use baton.v1.AgentAlive.$Properties instead.
             */

            /**
             * Shape of an AgentAlive.
             * @typedef {baton.v1.AgentAlive.$Properties} baton.v1.AgentAlive.$Shape
             */

            /**
             * Constructs a new AgentAlive.
             * @memberof baton.v1
             * @classdesc Represents an AgentAlive.
             * @constructor
             * @param {baton.v1.AgentAlive.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const AgentAlive = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * Creates a new AgentAlive instance using the specified properties.
             * @function create
             * @memberof baton.v1.AgentAlive
             * @static
             * @param {baton.v1.AgentAlive.$Properties=} [properties] Properties to set
             * @returns {baton.v1.AgentAlive} AgentAlive instance
             * @type {{
             *   (properties: baton.v1.AgentAlive.$Shape): baton.v1.AgentAlive & baton.v1.AgentAlive.$Shape;
             *   (properties?: baton.v1.AgentAlive.$Properties): baton.v1.AgentAlive;
             * }}
             */
            AgentAlive.create = function(properties) {
                return new AgentAlive(properties);
            };

            /**
             * Encodes the specified AgentAlive message. Does not implicitly {@link baton.v1.AgentAlive.verify|verify} messages.
             * @function encode
             * @memberof baton.v1.AgentAlive
             * @static
             * @param {baton.v1.AgentAlive.$Properties} message AgentAlive message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            AgentAlive.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes an AgentAlive message from the specified reader or buffer.
             * @function decode
             * @memberof baton.v1.AgentAlive
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {baton.v1.AgentAlive & baton.v1.AgentAlive.$Shape} AgentAlive
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            AgentAlive.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.baton.v1.AgentAlive();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    reader.skipType(tag & 7, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return AgentAlive;
        })();

        v1.LoadRequest = (function() {

            /**
             * Properties of a LoadRequest.
             * @typedef {Object} baton.v1.LoadRequest.$Properties
             * @property {string|null} [requestId] LoadRequest requestId
             * @property {string|null} [planId] LoadRequest planId
             * @property {Uint8Array|null} [keys] LoadRequest keys
             * @property {number|null} [firstSegment] LoadRequest firstSegment
             * @property {boolean|null} [handover] LoadRequest handover
             * @property {number|null} [timeoutMs] LoadRequest timeoutMs
             * @property {number|null} [expectedSegments] LoadRequest expectedSegments
             * @property {string|null} [traceparent] LoadRequest traceparent
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a LoadRequest.
             * @memberof baton.v1
             * @interface ILoadRequest
             * @augments baton.v1.LoadRequest.$Properties
             * @deprecated Use baton.v1.LoadRequest.$Properties instead.
             */

            /**
             * Shape of a LoadRequest.
             * @typedef {baton.v1.LoadRequest.$Properties} baton.v1.LoadRequest.$Shape
             */

            /**
             * Constructs a new LoadRequest.
             * @memberof baton.v1
             * @classdesc Represents a LoadRequest.
             * @constructor
             * @param {baton.v1.LoadRequest.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const LoadRequest = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * LoadRequest requestId.
             * @member {string} requestId
             * @memberof baton.v1.LoadRequest
             * @instance
             */
            LoadRequest.prototype.requestId = "";

            /**
             * LoadRequest planId.
             * @member {string} planId
             * @memberof baton.v1.LoadRequest
             * @instance
             */
            LoadRequest.prototype.planId = "";

            /**
             * LoadRequest keys.
             * @member {Uint8Array} keys
             * @memberof baton.v1.LoadRequest
             * @instance
             */
            LoadRequest.prototype.keys = $util.newBuffer([]);

            /**
             * LoadRequest firstSegment.
             * @member {number} firstSegment
             * @memberof baton.v1.LoadRequest
             * @instance
             */
            LoadRequest.prototype.firstSegment = 0;

            /**
             * LoadRequest handover.
             * @member {boolean} handover
             * @memberof baton.v1.LoadRequest
             * @instance
             */
            LoadRequest.prototype.handover = false;

            /**
             * LoadRequest timeoutMs.
             * @member {number} timeoutMs
             * @memberof baton.v1.LoadRequest
             * @instance
             */
            LoadRequest.prototype.timeoutMs = 0;

            /**
             * LoadRequest expectedSegments.
             * @member {number} expectedSegments
             * @memberof baton.v1.LoadRequest
             * @instance
             */
            LoadRequest.prototype.expectedSegments = 0;

            /**
             * LoadRequest traceparent.
             * @member {string} traceparent
             * @memberof baton.v1.LoadRequest
             * @instance
             */
            LoadRequest.prototype.traceparent = "";

            /**
             * Creates a new LoadRequest instance using the specified properties.
             * @function create
             * @memberof baton.v1.LoadRequest
             * @static
             * @param {baton.v1.LoadRequest.$Properties=} [properties] Properties to set
             * @returns {baton.v1.LoadRequest} LoadRequest instance
             * @type {{
             *   (properties: baton.v1.LoadRequest.$Shape): baton.v1.LoadRequest & baton.v1.LoadRequest.$Shape;
             *   (properties?: baton.v1.LoadRequest.$Properties): baton.v1.LoadRequest;
             * }}
             */
            LoadRequest.create = function(properties) {
                return new LoadRequest(properties);
            };

            /**
             * Encodes the specified LoadRequest message. Does not implicitly {@link baton.v1.LoadRequest.verify|verify} messages.
             * @function encode
             * @memberof baton.v1.LoadRequest
             * @static
             * @param {baton.v1.LoadRequest.$Properties} message LoadRequest message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            LoadRequest.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.requestId != null && $Object.hasOwnProperty.call(message, "requestId") && message.requestId !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.requestId);
                if (message.planId != null && $Object.hasOwnProperty.call(message, "planId") && message.planId !== "")
                    writer.uint32(/* id 2, wireType 2 =*/18).string(message.planId);
                if (message.keys != null && $Object.hasOwnProperty.call(message, "keys") && message.keys.length)
                    writer.uint32(/* id 3, wireType 2 =*/26).bytes(message.keys);
                if (message.firstSegment != null && $Object.hasOwnProperty.call(message, "firstSegment") && message.firstSegment !== 0)
                    writer.uint32(/* id 4, wireType 0 =*/32).uint32(message.firstSegment);
                if (message.handover != null && $Object.hasOwnProperty.call(message, "handover") && message.handover !== false)
                    writer.uint32(/* id 5, wireType 0 =*/40).bool(message.handover);
                if (message.timeoutMs != null && $Object.hasOwnProperty.call(message, "timeoutMs") && message.timeoutMs !== 0)
                    writer.uint32(/* id 6, wireType 0 =*/48).uint32(message.timeoutMs);
                if (message.expectedSegments != null && $Object.hasOwnProperty.call(message, "expectedSegments") && message.expectedSegments !== 0)
                    writer.uint32(/* id 7, wireType 0 =*/56).uint32(message.expectedSegments);
                if (message.traceparent != null && $Object.hasOwnProperty.call(message, "traceparent") && message.traceparent !== "")
                    writer.uint32(/* id 8, wireType 2 =*/66).string(message.traceparent);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a LoadRequest message from the specified reader or buffer.
             * @function decode
             * @memberof baton.v1.LoadRequest
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {baton.v1.LoadRequest & baton.v1.LoadRequest.$Shape} LoadRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            LoadRequest.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.baton.v1.LoadRequest();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.requestId = value;
                            else
                                delete message.requestId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.planId = value;
                            else
                                delete message.planId;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.keys = value;
                            else
                                delete message.keys;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.firstSegment = value;
                            else
                                delete message.firstSegment;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.bool())
                                message.handover = value;
                            else
                                delete message.handover;
                            continue;
                        }
                    case 6: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.timeoutMs = value;
                            else
                                delete message.timeoutMs;
                            continue;
                        }
                    case 7: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.expectedSegments = value;
                            else
                                delete message.expectedSegments;
                            continue;
                        }
                    case 8: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.traceparent = value;
                            else
                                delete message.traceparent;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return LoadRequest;
        })();

        v1.SegmentLoaded = (function() {

            /**
             * Properties of a SegmentLoaded.
             * @typedef {Object} baton.v1.SegmentLoaded.$Properties
             * @property {string|null} [requestId] SegmentLoaded requestId
             * @property {number|null} [index] SegmentLoaded index
             * @property {number|null} [page] SegmentLoaded page
             * @property {number|null} [bytes] SegmentLoaded bytes
             * @property {boolean|null} [transferred] SegmentLoaded transferred
             * @property {number|null} [checksum] SegmentLoaded checksum
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a SegmentLoaded.
             * @memberof baton.v1
             * @interface ISegmentLoaded
             * @augments baton.v1.SegmentLoaded.$Properties
             * @deprecated Use baton.v1.SegmentLoaded.$Properties instead.
             */

            /**
             * Shape of a SegmentLoaded.
             * @typedef {baton.v1.SegmentLoaded.$Properties} baton.v1.SegmentLoaded.$Shape
             */

            /**
             * Constructs a new SegmentLoaded.
             * @memberof baton.v1
             * @classdesc Represents a SegmentLoaded.
             * @constructor
             * @param {baton.v1.SegmentLoaded.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const SegmentLoaded = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * SegmentLoaded requestId.
             * @member {string} requestId
             * @memberof baton.v1.SegmentLoaded
             * @instance
             */
            SegmentLoaded.prototype.requestId = "";

            /**
             * SegmentLoaded index.
             * @member {number} index
             * @memberof baton.v1.SegmentLoaded
             * @instance
             */
            SegmentLoaded.prototype.index = 0;

            /**
             * SegmentLoaded page.
             * @member {number} page
             * @memberof baton.v1.SegmentLoaded
             * @instance
             */
            SegmentLoaded.prototype.page = 0;

            /**
             * SegmentLoaded bytes.
             * @member {number} bytes
             * @memberof baton.v1.SegmentLoaded
             * @instance
             */
            SegmentLoaded.prototype.bytes = 0;

            /**
             * SegmentLoaded transferred.
             * @member {boolean} transferred
             * @memberof baton.v1.SegmentLoaded
             * @instance
             */
            SegmentLoaded.prototype.transferred = false;

            /**
             * SegmentLoaded checksum.
             * @member {number} checksum
             * @memberof baton.v1.SegmentLoaded
             * @instance
             */
            SegmentLoaded.prototype.checksum = 0;

            /**
             * Creates a new SegmentLoaded instance using the specified properties.
             * @function create
             * @memberof baton.v1.SegmentLoaded
             * @static
             * @param {baton.v1.SegmentLoaded.$Properties=} [properties] Properties to set
             * @returns {baton.v1.SegmentLoaded} SegmentLoaded instance
             * @type {{
             *   (properties: baton.v1.SegmentLoaded.$Shape): baton.v1.SegmentLoaded & baton.v1.SegmentLoaded.$Shape;
             *   (properties?: baton.v1.SegmentLoaded.$Properties): baton.v1.SegmentLoaded;
             * }}
             */
            SegmentLoaded.create = function(properties) {
                return new SegmentLoaded(properties);
            };

            /**
             * Encodes the specified SegmentLoaded message. Does not implicitly {@link baton.v1.SegmentLoaded.verify|verify} messages.
             * @function encode
             * @memberof baton.v1.SegmentLoaded
             * @static
             * @param {baton.v1.SegmentLoaded.$Properties} message SegmentLoaded message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            SegmentLoaded.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.requestId != null && $Object.hasOwnProperty.call(message, "requestId") && message.requestId !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.requestId);
                if (message.index != null && $Object.hasOwnProperty.call(message, "index") && message.index !== 0)
                    writer.uint32(/* id 2, wireType 0 =*/16).uint32(message.index);
                if (message.page != null && $Object.hasOwnProperty.call(message, "page") && message.page !== 0)
                    writer.uint32(/* id 3, wireType 0 =*/24).uint32(message.page);
                if (message.bytes != null && $Object.hasOwnProperty.call(message, "bytes") && message.bytes !== 0)
                    writer.uint32(/* id 4, wireType 0 =*/32).uint32(message.bytes);
                if (message.transferred != null && $Object.hasOwnProperty.call(message, "transferred") && message.transferred !== false)
                    writer.uint32(/* id 5, wireType 0 =*/40).bool(message.transferred);
                if (message.checksum != null && $Object.hasOwnProperty.call(message, "checksum") && message.checksum !== 0)
                    writer.uint32(/* id 6, wireType 0 =*/48).uint32(message.checksum);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a SegmentLoaded message from the specified reader or buffer.
             * @function decode
             * @memberof baton.v1.SegmentLoaded
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {baton.v1.SegmentLoaded & baton.v1.SegmentLoaded.$Shape} SegmentLoaded
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            SegmentLoaded.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.baton.v1.SegmentLoaded();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.requestId = value;
                            else
                                delete message.requestId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.index = value;
                            else
                                delete message.index;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.page = value;
                            else
                                delete message.page;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.bytes = value;
                            else
                                delete message.bytes;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.bool())
                                message.transferred = value;
                            else
                                delete message.transferred;
                            continue;
                        }
                    case 6: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.checksum = value;
                            else
                                delete message.checksum;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return SegmentLoaded;
        })();

        /**
         * LoadStatus enum.
         * @name baton.v1.LoadStatus
         * @enum {number}
         * @property {number} LOAD_STATUS_UNSPECIFIED=0 LOAD_STATUS_UNSPECIFIED value
         * @property {number} LOAD_STATUS_COMPLETE=1 LOAD_STATUS_COMPLETE value
         * @property {number} LOAD_STATUS_MISSING=2 LOAD_STATUS_MISSING value
         * @property {number} LOAD_STATUS_FAILED=3 LOAD_STATUS_FAILED value
         * @property {number} LOAD_STATUS_TIMEOUT=4 LOAD_STATUS_TIMEOUT value
         */
        v1.LoadStatus = (function() {
            const valuesById = $Object.create(null), values = $Object.create(valuesById);
            values[valuesById[0] = "LOAD_STATUS_UNSPECIFIED"] = 0;
            values[valuesById[1] = "LOAD_STATUS_COMPLETE"] = 1;
            values[valuesById[2] = "LOAD_STATUS_MISSING"] = 2;
            values[valuesById[3] = "LOAD_STATUS_FAILED"] = 3;
            values[valuesById[4] = "LOAD_STATUS_TIMEOUT"] = 4;
            return values;
        })();

        v1.LoadEnd = (function() {

            /**
             * Properties of a LoadEnd.
             * @typedef {Object} baton.v1.LoadEnd.$Properties
             * @property {string|null} [requestId] LoadEnd requestId
             * @property {baton.v1.LoadStatus|null} [status] LoadEnd status
             * @property {string|null} [message] LoadEnd message
             * @property {baton.v1.Tail.$Properties|null} [tail] LoadEnd tail
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a LoadEnd.
             * @memberof baton.v1
             * @interface ILoadEnd
             * @augments baton.v1.LoadEnd.$Properties
             * @deprecated Use baton.v1.LoadEnd.$Properties instead.
             */

            /**
             * Shape of a LoadEnd.
             * @typedef {baton.v1.LoadEnd.$Properties} baton.v1.LoadEnd.$Shape
             */

            /**
             * Constructs a new LoadEnd.
             * @memberof baton.v1
             * @classdesc Represents a LoadEnd.
             * @constructor
             * @param {baton.v1.LoadEnd.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const LoadEnd = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * LoadEnd requestId.
             * @member {string} requestId
             * @memberof baton.v1.LoadEnd
             * @instance
             */
            LoadEnd.prototype.requestId = "";

            /**
             * LoadEnd status.
             * @member {baton.v1.LoadStatus} status
             * @memberof baton.v1.LoadEnd
             * @instance
             */
            LoadEnd.prototype.status = 0;

            /**
             * LoadEnd message.
             * @member {string} message
             * @memberof baton.v1.LoadEnd
             * @instance
             */
            LoadEnd.prototype.message = "";

            /**
             * LoadEnd tail.
             * @member {baton.v1.Tail.$Properties|null|undefined} tail
             * @memberof baton.v1.LoadEnd
             * @instance
             */
            LoadEnd.prototype.tail = null;

            /**
             * Creates a new LoadEnd instance using the specified properties.
             * @function create
             * @memberof baton.v1.LoadEnd
             * @static
             * @param {baton.v1.LoadEnd.$Properties=} [properties] Properties to set
             * @returns {baton.v1.LoadEnd} LoadEnd instance
             * @type {{
             *   (properties: baton.v1.LoadEnd.$Shape): baton.v1.LoadEnd & baton.v1.LoadEnd.$Shape;
             *   (properties?: baton.v1.LoadEnd.$Properties): baton.v1.LoadEnd;
             * }}
             */
            LoadEnd.create = function(properties) {
                return new LoadEnd(properties);
            };

            /**
             * Encodes the specified LoadEnd message. Does not implicitly {@link baton.v1.LoadEnd.verify|verify} messages.
             * @function encode
             * @memberof baton.v1.LoadEnd
             * @static
             * @param {baton.v1.LoadEnd.$Properties} message LoadEnd message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            LoadEnd.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.requestId != null && $Object.hasOwnProperty.call(message, "requestId") && message.requestId !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.requestId);
                if (message.status != null && $Object.hasOwnProperty.call(message, "status") && message.status !== 0)
                    writer.uint32(/* id 2, wireType 0 =*/16).int32(message.status);
                if (message.message != null && $Object.hasOwnProperty.call(message, "message") && message.message !== "")
                    writer.uint32(/* id 3, wireType 2 =*/26).string(message.message);
                if (message.tail != null && $Object.hasOwnProperty.call(message, "tail"))
                    $root.baton.v1.Tail.encode(message.tail, writer.uint32(/* id 4, wireType 2 =*/34).fork(), _depth + 1).ldelim();
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a LoadEnd message from the specified reader or buffer.
             * @function decode
             * @memberof baton.v1.LoadEnd
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {baton.v1.LoadEnd & baton.v1.LoadEnd.$Shape} LoadEnd
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            LoadEnd.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.baton.v1.LoadEnd();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.requestId = value;
                            else
                                delete message.requestId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.status = value;
                            else
                                delete message.status;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.message = value;
                            else
                                delete message.message;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            message.tail = $root.baton.v1.Tail.decode(reader, reader.size(), $undefined, _depth + 1, message.tail);
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return LoadEnd;
        })();

        v1.Tail = (function() {

            /**
             * Properties of a Tail.
             * @typedef {Object} baton.v1.Tail.$Properties
             * @property {number|null} [page] Tail page
             * @property {number|null} [bytes] Tail bytes
             * @property {number|null} [checksum] Tail checksum
             * @property {baton.v1.SequenceState.$Properties|null} [state] Tail state
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a Tail.
             * @memberof baton.v1
             * @interface ITail
             * @augments baton.v1.Tail.$Properties
             * @deprecated Use baton.v1.Tail.$Properties instead.
             */

            /**
             * Shape of a Tail.
             * @typedef {baton.v1.Tail.$Properties} baton.v1.Tail.$Shape
             */

            /**
             * Constructs a new Tail.
             * @memberof baton.v1
             * @classdesc Represents a Tail.
             * @constructor
             * @param {baton.v1.Tail.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const Tail = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * Tail page.
             * @member {number} page
             * @memberof baton.v1.Tail
             * @instance
             */
            Tail.prototype.page = 0;

            /**
             * Tail bytes.
             * @member {number} bytes
             * @memberof baton.v1.Tail
             * @instance
             */
            Tail.prototype.bytes = 0;

            /**
             * Tail checksum.
             * @member {number} checksum
             * @memberof baton.v1.Tail
             * @instance
             */
            Tail.prototype.checksum = 0;

            /**
             * Tail state.
             * @member {baton.v1.SequenceState.$Properties|null|undefined} state
             * @memberof baton.v1.Tail
             * @instance
             */
            Tail.prototype.state = null;

            /**
             * Creates a new Tail instance using the specified properties.
             * @function create
             * @memberof baton.v1.Tail
             * @static
             * @param {baton.v1.Tail.$Properties=} [properties] Properties to set
             * @returns {baton.v1.Tail} Tail instance
             * @type {{
             *   (properties: baton.v1.Tail.$Shape): baton.v1.Tail & baton.v1.Tail.$Shape;
             *   (properties?: baton.v1.Tail.$Properties): baton.v1.Tail;
             * }}
             */
            Tail.create = function(properties) {
                return new Tail(properties);
            };

            /**
             * Encodes the specified Tail message. Does not implicitly {@link baton.v1.Tail.verify|verify} messages.
             * @function encode
             * @memberof baton.v1.Tail
             * @static
             * @param {baton.v1.Tail.$Properties} message Tail message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            Tail.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.page != null && $Object.hasOwnProperty.call(message, "page") && message.page !== 0)
                    writer.uint32(/* id 1, wireType 0 =*/8).uint32(message.page);
                if (message.bytes != null && $Object.hasOwnProperty.call(message, "bytes") && message.bytes !== 0)
                    writer.uint32(/* id 2, wireType 0 =*/16).uint32(message.bytes);
                if (message.checksum != null && $Object.hasOwnProperty.call(message, "checksum") && message.checksum !== 0)
                    writer.uint32(/* id 3, wireType 0 =*/24).uint32(message.checksum);
                if (message.state != null && $Object.hasOwnProperty.call(message, "state"))
                    $root.baton.v1.SequenceState.encode(message.state, writer.uint32(/* id 4, wireType 2 =*/34).fork(), _depth + 1).ldelim();
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a Tail message from the specified reader or buffer.
             * @function decode
             * @memberof baton.v1.Tail
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {baton.v1.Tail & baton.v1.Tail.$Shape} Tail
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            Tail.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.baton.v1.Tail();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.page = value;
                            else
                                delete message.page;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.bytes = value;
                            else
                                delete message.bytes;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.checksum = value;
                            else
                                delete message.checksum;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            message.state = $root.baton.v1.SequenceState.decode(reader, reader.size(), $undefined, _depth + 1, message.state);
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return Tail;
        })();

        v1.SequenceState = (function() {

            /**
             * Properties of a SequenceState.
             * @typedef {Object} baton.v1.SequenceState.$Properties
             * @property {number|null} [promptTokens] SequenceState promptTokens
             * @property {Array.<number>|null} [outputTokenIds] SequenceState outputTokenIds
             * @property {number|null} [seed] SequenceState seed
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a SequenceState.
             * @memberof baton.v1
             * @interface ISequenceState
             * @augments baton.v1.SequenceState.$Properties
             * @deprecated Use baton.v1.SequenceState.$Properties instead.
             */

            /**
             * Shape of a SequenceState.
             * @typedef {baton.v1.SequenceState.$Properties} baton.v1.SequenceState.$Shape
             */

            /**
             * Constructs a new SequenceState.
             * @memberof baton.v1
             * @classdesc Represents a SequenceState.
             * @constructor
             * @param {baton.v1.SequenceState.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const SequenceState = function (properties) {
                this.outputTokenIds = [];
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * SequenceState promptTokens.
             * @member {number} promptTokens
             * @memberof baton.v1.SequenceState
             * @instance
             */
            SequenceState.prototype.promptTokens = 0;

            /**
             * SequenceState outputTokenIds.
             * @member {Array.<number>} outputTokenIds
             * @memberof baton.v1.SequenceState
             * @instance
             */
            SequenceState.prototype.outputTokenIds = $util.emptyArray;

            /**
             * SequenceState seed.
             * @member {number} seed
             * @memberof baton.v1.SequenceState
             * @instance
             */
            SequenceState.prototype.seed = 0;

            /**
             * Creates a new SequenceState instance using the specified properties.
             * @function create
             * @memberof baton.v1.SequenceState
             * @static
             * @param {baton.v1.SequenceState.$Properties=} [properties] Properties to set
             * @returns {baton.v1.SequenceState} SequenceState instance
             * @type {{
             *   (properties: baton.v1.SequenceState.$Shape): baton.v1.SequenceState & baton.v1.SequenceState.$Shape;
             *   (properties?: baton.v1.SequenceState.$Properties): baton.v1.SequenceState;
             * }}
             */
            SequenceState.create = function(properties) {
                return new SequenceState(properties);
            };

            /**
             * Encodes the specified SequenceState message. Does not implicitly {@link baton.v1.SequenceState.verify|verify} messages.
             * @function encode
             * @memberof baton.v1.SequenceState
             * @static
             * @param {baton.v1.SequenceState.$Properties} message SequenceState message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            SequenceState.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.promptTokens != null && $Object.hasOwnProperty.call(message, "promptTokens") && message.promptTokens !== 0)
                    writer.uint32(/* id 1, wireType 0 =*/8).uint32(message.promptTokens);
                if (message.outputTokenIds != null && message.outputTokenIds.length)
                    writer.uint32(/* id 2, wireType 2 =*/18).uint32s(message.outputTokenIds);
                if (message.seed != null && $Object.hasOwnProperty.call(message, "seed") && message.seed !== 0)
                    writer.uint32(/* id 3, wireType 0 =*/24).uint32(message.seed);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a SequenceState message from the specified reader or buffer.
             * @function decode
             * @memberof baton.v1.SequenceState
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {baton.v1.SequenceState & baton.v1.SequenceState.$Shape} SequenceState
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            SequenceState.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.baton.v1.SequenceState();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.promptTokens = value;
                            else
                                delete message.promptTokens;
                            continue;
                        }
                    case 2: {
                            if (wireType === 2) {
                                if (!(message.outputTokenIds && message.outputTokenIds.length))
                                    message.outputTokenIds = [];
                                reader.uint32s(message.outputTokenIds);
                                continue;
                            }
                            if (wireType !== 0)
                                break;
                            if (!(message.outputTokenIds && message.outputTokenIds.length))
                                message.outputTokenIds = [];
                            message.outputTokenIds.push(reader.uint32());
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.seed = value;
                            else
                                delete message.seed;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return SequenceState;
        })();

        v1.ReleasePages = (function() {

            /**
             * Properties of a ReleasePages.
             * @typedef {Object} baton.v1.ReleasePages.$Properties
             * @property {string|null} [requestId] ReleasePages requestId
             * @property {Array.<number>|null} [pages] ReleasePages pages
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a ReleasePages.
             * @memberof baton.v1
             * @interface IReleasePages
             * @augments baton.v1.ReleasePages.$Properties
             * @deprecated Use baton.v1.ReleasePages.$Properties instead.
             */

            /**
             * Shape of a ReleasePages.
             * @typedef {baton.v1.ReleasePages.$Properties} baton.v1.ReleasePages.$Shape
             */

            /**
             * Constructs a new ReleasePages.
             * @memberof baton.v1
             * @classdesc Represents a ReleasePages.
             * @constructor
             * @param {baton.v1.ReleasePages.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const ReleasePages = function (properties) {
                this.pages = [];
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * ReleasePages requestId.
             * @member {string} requestId
             * @memberof baton.v1.ReleasePages
             * @instance
             */
            ReleasePages.prototype.requestId = "";

            /**
             * ReleasePages pages.
             * @member {Array.<number>} pages
             * @memberof baton.v1.ReleasePages
             * @instance
             */
            ReleasePages.prototype.pages = $util.emptyArray;

            /**
             * Creates a new ReleasePages instance using the specified properties.
             * @function create
             * @memberof baton.v1.ReleasePages
             * @static
             * @param {baton.v1.ReleasePages.$Properties=} [properties] Properties to set
             * @returns {baton.v1.ReleasePages} ReleasePages instance
             * @type {{
             *   (properties: baton.v1.ReleasePages.$Shape): baton.v1.ReleasePages & baton.v1.ReleasePages.$Shape;
             *   (properties?: baton.v1.ReleasePages.$Properties): baton.v1.ReleasePages;
             * }}
             */
            ReleasePages.create = function(properties) {
                return new ReleasePages(properties);
            };

            /**
             * Encodes the specified ReleasePages message. Does not implicitly {@link baton.v1.ReleasePages.verify|verify} messages.
             * @function encode
             * @memberof baton.v1.ReleasePages
             * @static
             * @param {baton.v1.ReleasePages.$Properties} message ReleasePages message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            ReleasePages.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.requestId != null && $Object.hasOwnProperty.call(message, "requestId") && message.requestId !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.requestId);
                if (message.pages != null && message.pages.length)
                    writer.uint32(/* id 2, wireType 2 =*/18).uint32s(message.pages);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a ReleasePages message from the specified reader or buffer.
             * @function decode
             * @memberof baton.v1.ReleasePages
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {baton.v1.ReleasePages & baton.v1.ReleasePages.$Shape} ReleasePages
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            ReleasePages.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.baton.v1.ReleasePages();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.requestId = value;
                            else
                                delete message.requestId;
                            continue;
                        }
                    case 2: {
                            if (wireType === 2) {
                                if (!(message.pages && message.pages.length))
                                    message.pages = [];
                                reader.uint32s(message.pages);
                                continue;
                            }
                            if (wireType !== 0)
                                break;
                            if (!(message.pages && message.pages.length))
                                message.pages = [];
                            message.pages.push(reader.uint32());
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return ReleasePages;
        })();

        v1.ReserveRequest = (function() {

            /**
             * Properties of a ReserveRequest.
             * @typedef {Object} baton.v1.ReserveRequest.$Properties
             * @property {string|null} [requestId] ReserveRequest requestId
             * @property {string|null} [planId] ReserveRequest planId
             * @property {Uint8Array|null} [keys] ReserveRequest keys
             * @property {boolean|null} [tail] ReserveRequest tail
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a ReserveRequest.
             * @memberof baton.v1
             * @interface IReserveRequest
             * @augments baton.v1.ReserveRequest.$Properties
             * @deprecated Use baton.v1.ReserveRequest.$Properties instead.
             */

            /**
             * Shape of a ReserveRequest.
             * @typedef {baton.v1.ReserveRequest.$Properties} baton.v1.ReserveRequest.$Shape
             */

            /**
             * Constructs a new ReserveRequest.
             * @memberof baton.v1
             * @classdesc Represents a ReserveRequest.
             * @constructor
             * @param {baton.v1.ReserveRequest.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const ReserveRequest = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * ReserveRequest requestId.
             * @member {string} requestId
             * @memberof baton.v1.ReserveRequest
             * @instance
             */
            ReserveRequest.prototype.requestId = "";

            /**
             * ReserveRequest planId.
             * @member {string} planId
             * @memberof baton.v1.ReserveRequest
             * @instance
             */
            ReserveRequest.prototype.planId = "";

            /**
             * ReserveRequest keys.
             * @member {Uint8Array} keys
             * @memberof baton.v1.ReserveRequest
             * @instance
             */
            ReserveRequest.prototype.keys = $util.newBuffer([]);

            /**
             * ReserveRequest tail.
             * @member {boolean} tail
             * @memberof baton.v1.ReserveRequest
             * @instance
             */
            ReserveRequest.prototype.tail = false;

            /**
             * Creates a new ReserveRequest instance using the specified properties.
             * @function create
             * @memberof baton.v1.ReserveRequest
             * @static
             * @param {baton.v1.ReserveRequest.$Properties=} [properties] Properties to set
             * @returns {baton.v1.ReserveRequest} ReserveRequest instance
             * @type {{
             *   (properties: baton.v1.ReserveRequest.$Shape): baton.v1.ReserveRequest & baton.v1.ReserveRequest.$Shape;
             *   (properties?: baton.v1.ReserveRequest.$Properties): baton.v1.ReserveRequest;
             * }}
             */
            ReserveRequest.create = function(properties) {
                return new ReserveRequest(properties);
            };

            /**
             * Encodes the specified ReserveRequest message. Does not implicitly {@link baton.v1.ReserveRequest.verify|verify} messages.
             * @function encode
             * @memberof baton.v1.ReserveRequest
             * @static
             * @param {baton.v1.ReserveRequest.$Properties} message ReserveRequest message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            ReserveRequest.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.requestId != null && $Object.hasOwnProperty.call(message, "requestId") && message.requestId !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.requestId);
                if (message.planId != null && $Object.hasOwnProperty.call(message, "planId") && message.planId !== "")
                    writer.uint32(/* id 2, wireType 2 =*/18).string(message.planId);
                if (message.keys != null && $Object.hasOwnProperty.call(message, "keys") && message.keys.length)
                    writer.uint32(/* id 3, wireType 2 =*/26).bytes(message.keys);
                if (message.tail != null && $Object.hasOwnProperty.call(message, "tail") && message.tail !== false)
                    writer.uint32(/* id 4, wireType 0 =*/32).bool(message.tail);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a ReserveRequest message from the specified reader or buffer.
             * @function decode
             * @memberof baton.v1.ReserveRequest
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {baton.v1.ReserveRequest & baton.v1.ReserveRequest.$Shape} ReserveRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            ReserveRequest.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.baton.v1.ReserveRequest();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.requestId = value;
                            else
                                delete message.requestId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.planId = value;
                            else
                                delete message.planId;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.keys = value;
                            else
                                delete message.keys;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.bool())
                                message.tail = value;
                            else
                                delete message.tail;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return ReserveRequest;
        })();

        v1.ReserveReply = (function() {

            /**
             * Properties of a ReserveReply.
             * @typedef {Object} baton.v1.ReserveReply.$Properties
             * @property {string|null} [requestId] ReserveReply requestId
             * @property {Array.<number>|null} [pages] ReserveReply pages
             * @property {number|null} [tailPage] ReserveReply tailPage
             * @property {boolean|null} [refused] ReserveReply refused
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a ReserveReply.
             * @memberof baton.v1
             * @interface IReserveReply
             * @augments baton.v1.ReserveReply.$Properties
             * @deprecated Use baton.v1.ReserveReply.$Properties instead.
             */

            /**
             * Shape of a ReserveReply.
             * @typedef {baton.v1.ReserveReply.$Properties} baton.v1.ReserveReply.$Shape
             */

            /**
             * Constructs a new ReserveReply.
             * @memberof baton.v1
             * @classdesc Represents a ReserveReply.
             * @constructor
             * @param {baton.v1.ReserveReply.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const ReserveReply = function (properties) {
                this.pages = [];
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * ReserveReply requestId.
             * @member {string} requestId
             * @memberof baton.v1.ReserveReply
             * @instance
             */
            ReserveReply.prototype.requestId = "";

            /**
             * ReserveReply pages.
             * @member {Array.<number>} pages
             * @memberof baton.v1.ReserveReply
             * @instance
             */
            ReserveReply.prototype.pages = $util.emptyArray;

            /**
             * ReserveReply tailPage.
             * @member {number} tailPage
             * @memberof baton.v1.ReserveReply
             * @instance
             */
            ReserveReply.prototype.tailPage = 0;

            /**
             * ReserveReply refused.
             * @member {boolean} refused
             * @memberof baton.v1.ReserveReply
             * @instance
             */
            ReserveReply.prototype.refused = false;

            /**
             * Creates a new ReserveReply instance using the specified properties.
             * @function create
             * @memberof baton.v1.ReserveReply
             * @static
             * @param {baton.v1.ReserveReply.$Properties=} [properties] Properties to set
             * @returns {baton.v1.ReserveReply} ReserveReply instance
             * @type {{
             *   (properties: baton.v1.ReserveReply.$Shape): baton.v1.ReserveReply & baton.v1.ReserveReply.$Shape;
             *   (properties?: baton.v1.ReserveReply.$Properties): baton.v1.ReserveReply;
             * }}
             */
            ReserveReply.create = function(properties) {
                return new ReserveReply(properties);
            };

            /**
             * Encodes the specified ReserveReply message. Does not implicitly {@link baton.v1.ReserveReply.verify|verify} messages.
             * @function encode
             * @memberof baton.v1.ReserveReply
             * @static
             * @param {baton.v1.ReserveReply.$Properties} message ReserveReply message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            ReserveReply.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.requestId != null && $Object.hasOwnProperty.call(message, "requestId") && message.requestId !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.requestId);
                if (message.pages != null && message.pages.length)
                    writer.uint32(/* id 2, wireType 2 =*/18).uint32s(message.pages);
                if (message.tailPage != null && $Object.hasOwnProperty.call(message, "tailPage") && message.tailPage !== 0)
                    writer.uint32(/* id 3, wireType 0 =*/24).uint32(message.tailPage);
                if (message.refused != null && $Object.hasOwnProperty.call(message, "refused") && message.refused !== false)
                    writer.uint32(/* id 4, wireType 0 =*/32).bool(message.refused);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a ReserveReply message from the specified reader or buffer.
             * @function decode
             * @memberof baton.v1.ReserveReply
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {baton.v1.ReserveReply & baton.v1.ReserveReply.$Shape} ReserveReply
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            ReserveReply.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.baton.v1.ReserveReply();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.requestId = value;
                            else
                                delete message.requestId;
                            continue;
                        }
                    case 2: {
                            if (wireType === 2) {
                                if (!(message.pages && message.pages.length))
                                    message.pages = [];
                                reader.uint32s(message.pages);
                                continue;
                            }
                            if (wireType !== 0)
                                break;
                            if (!(message.pages && message.pages.length))
                                message.pages = [];
                            message.pages.push(reader.uint32());
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.tailPage = value;
                            else
                                delete message.tailPage;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.bool())
                                message.refused = value;
                            else
                                delete message.refused;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return ReserveReply;
        })();

        v1.CommitSegment = (function() {

            /**
             * Properties of a CommitSegment.
             * @typedef {Object} baton.v1.CommitSegment.$Properties
             * @property {string|null} [requestId] CommitSegment requestId
             * @property {string|null} [planId] CommitSegment planId
             * @property {Uint8Array|null} [key] CommitSegment key
             * @property {number|null} [page] CommitSegment page
             * @property {number|null} [bytes] CommitSegment bytes
             * @property {number|null} [checksum] CommitSegment checksum
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a CommitSegment.
             * @memberof baton.v1
             * @interface ICommitSegment
             * @augments baton.v1.CommitSegment.$Properties
             * @deprecated Use baton.v1.CommitSegment.$Properties instead.
             */

            /**
             * Shape of a CommitSegment.
             * @typedef {baton.v1.CommitSegment.$Properties} baton.v1.CommitSegment.$Shape
             */

            /**
             * Constructs a new CommitSegment.
             * @memberof baton.v1
             * @classdesc Represents a CommitSegment.
             * @constructor
             * @param {baton.v1.CommitSegment.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const CommitSegment = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * CommitSegment requestId.
             * @member {string} requestId
             * @memberof baton.v1.CommitSegment
             * @instance
             */
            CommitSegment.prototype.requestId = "";

            /**
             * CommitSegment planId.
             * @member {string} planId
             * @memberof baton.v1.CommitSegment
             * @instance
             */
            CommitSegment.prototype.planId = "";

            /**
             * CommitSegment key.
             * @member {Uint8Array} key
             * @memberof baton.v1.CommitSegment
             * @instance
             */
            CommitSegment.prototype.key = $util.newBuffer([]);

            /**
             * CommitSegment page.
             * @member {number} page
             * @memberof baton.v1.CommitSegment
             * @instance
             */
            CommitSegment.prototype.page = 0;

            /**
             * CommitSegment bytes.
             * @member {number} bytes
             * @memberof baton.v1.CommitSegment
             * @instance
             */
            CommitSegment.prototype.bytes = 0;

            /**
             * CommitSegment checksum.
             * @member {number} checksum
             * @memberof baton.v1.CommitSegment
             * @instance
             */
            CommitSegment.prototype.checksum = 0;

            /**
             * Creates a new CommitSegment instance using the specified properties.
             * @function create
             * @memberof baton.v1.CommitSegment
             * @static
             * @param {baton.v1.CommitSegment.$Properties=} [properties] Properties to set
             * @returns {baton.v1.CommitSegment} CommitSegment instance
             * @type {{
             *   (properties: baton.v1.CommitSegment.$Shape): baton.v1.CommitSegment & baton.v1.CommitSegment.$Shape;
             *   (properties?: baton.v1.CommitSegment.$Properties): baton.v1.CommitSegment;
             * }}
             */
            CommitSegment.create = function(properties) {
                return new CommitSegment(properties);
            };

            /**
             * Encodes the specified CommitSegment message. Does not implicitly {@link baton.v1.CommitSegment.verify|verify} messages.
             * @function encode
             * @memberof baton.v1.CommitSegment
             * @static
             * @param {baton.v1.CommitSegment.$Properties} message CommitSegment message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            CommitSegment.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.requestId != null && $Object.hasOwnProperty.call(message, "requestId") && message.requestId !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.requestId);
                if (message.planId != null && $Object.hasOwnProperty.call(message, "planId") && message.planId !== "")
                    writer.uint32(/* id 2, wireType 2 =*/18).string(message.planId);
                if (message.key != null && $Object.hasOwnProperty.call(message, "key") && message.key.length)
                    writer.uint32(/* id 3, wireType 2 =*/26).bytes(message.key);
                if (message.page != null && $Object.hasOwnProperty.call(message, "page") && message.page !== 0)
                    writer.uint32(/* id 4, wireType 0 =*/32).uint32(message.page);
                if (message.bytes != null && $Object.hasOwnProperty.call(message, "bytes") && message.bytes !== 0)
                    writer.uint32(/* id 5, wireType 0 =*/40).uint32(message.bytes);
                if (message.checksum != null && $Object.hasOwnProperty.call(message, "checksum") && message.checksum !== 0)
                    writer.uint32(/* id 6, wireType 0 =*/48).uint32(message.checksum);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a CommitSegment message from the specified reader or buffer.
             * @function decode
             * @memberof baton.v1.CommitSegment
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {baton.v1.CommitSegment & baton.v1.CommitSegment.$Shape} CommitSegment
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            CommitSegment.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.baton.v1.CommitSegment();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.requestId = value;
                            else
                                delete message.requestId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.planId = value;
                            else
                                delete message.planId;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.key = value;
                            else
                                delete message.key;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.page = value;
                            else
                                delete message.page;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.bytes = value;
                            else
                                delete message.bytes;
                            continue;
                        }
                    case 6: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.checksum = value;
                            else
                                delete message.checksum;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return CommitSegment;
        })();

        v1.HandoverReady = (function() {

            /**
             * Properties of a HandoverReady.
             * @typedef {Object} baton.v1.HandoverReady.$Properties
             * @property {string|null} [requestId] HandoverReady requestId
             * @property {string|null} [planId] HandoverReady planId
             * @property {baton.v1.Tail.$Properties|null} [tail] HandoverReady tail
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a HandoverReady.
             * @memberof baton.v1
             * @interface IHandoverReady
             * @augments baton.v1.HandoverReady.$Properties
             * @deprecated Use baton.v1.HandoverReady.$Properties instead.
             */

            /**
             * Shape of a HandoverReady.
             * @typedef {baton.v1.HandoverReady.$Properties} baton.v1.HandoverReady.$Shape
             */

            /**
             * Constructs a new HandoverReady.
             * @memberof baton.v1
             * @classdesc Represents a HandoverReady.
             * @constructor
             * @param {baton.v1.HandoverReady.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const HandoverReady = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * HandoverReady requestId.
             * @member {string} requestId
             * @memberof baton.v1.HandoverReady
             * @instance
             */
            HandoverReady.prototype.requestId = "";

            /**
             * HandoverReady planId.
             * @member {string} planId
             * @memberof baton.v1.HandoverReady
             * @instance
             */
            HandoverReady.prototype.planId = "";

            /**
             * HandoverReady tail.
             * @member {baton.v1.Tail.$Properties|null|undefined} tail
             * @memberof baton.v1.HandoverReady
             * @instance
             */
            HandoverReady.prototype.tail = null;

            /**
             * Creates a new HandoverReady instance using the specified properties.
             * @function create
             * @memberof baton.v1.HandoverReady
             * @static
             * @param {baton.v1.HandoverReady.$Properties=} [properties] Properties to set
             * @returns {baton.v1.HandoverReady} HandoverReady instance
             * @type {{
             *   (properties: baton.v1.HandoverReady.$Shape): baton.v1.HandoverReady & baton.v1.HandoverReady.$Shape;
             *   (properties?: baton.v1.HandoverReady.$Properties): baton.v1.HandoverReady;
             * }}
             */
            HandoverReady.create = function(properties) {
                return new HandoverReady(properties);
            };

            /**
             * Encodes the specified HandoverReady message. Does not implicitly {@link baton.v1.HandoverReady.verify|verify} messages.
             * @function encode
             * @memberof baton.v1.HandoverReady
             * @static
             * @param {baton.v1.HandoverReady.$Properties} message HandoverReady message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            HandoverReady.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.requestId != null && $Object.hasOwnProperty.call(message, "requestId") && message.requestId !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.requestId);
                if (message.planId != null && $Object.hasOwnProperty.call(message, "planId") && message.planId !== "")
                    writer.uint32(/* id 2, wireType 2 =*/18).string(message.planId);
                if (message.tail != null && $Object.hasOwnProperty.call(message, "tail"))
                    $root.baton.v1.Tail.encode(message.tail, writer.uint32(/* id 3, wireType 2 =*/26).fork(), _depth + 1).ldelim();
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a HandoverReady message from the specified reader or buffer.
             * @function decode
             * @memberof baton.v1.HandoverReady
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {baton.v1.HandoverReady & baton.v1.HandoverReady.$Shape} HandoverReady
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            HandoverReady.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.baton.v1.HandoverReady();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.requestId = value;
                            else
                                delete message.requestId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.planId = value;
                            else
                                delete message.planId;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            message.tail = $root.baton.v1.Tail.decode(reader, reader.size(), $undefined, _depth + 1, message.tail);
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return HandoverReady;
        })();

        v1.RequestEnded = (function() {

            /**
             * Properties of a RequestEnded.
             * @typedef {Object} baton.v1.RequestEnded.$Properties
             * @property {string|null} [requestId] RequestEnded requestId
             * @property {string|null} [planId] RequestEnded planId
             * @property {string|null} [leg] RequestEnded leg
             * @property {string|null} [outcome] RequestEnded outcome
             * @property {number|null} [promptTokens] RequestEnded promptTokens
             * @property {number|null} [reusedTokens] RequestEnded reusedTokens
             * @property {number|null} [transferredTokens] RequestEnded transferredTokens
             * @property {number|null} [computedTokens] RequestEnded computedTokens
             * @property {number|null} [outputTokens] RequestEnded outputTokens
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a RequestEnded.
             * @memberof baton.v1
             * @interface IRequestEnded
             * @augments baton.v1.RequestEnded.$Properties
             * @deprecated Use baton.v1.RequestEnded.$Properties instead.
             */

            /**
             * Shape of a RequestEnded.
             * @typedef {baton.v1.RequestEnded.$Properties} baton.v1.RequestEnded.$Shape
             */

            /**
             * Constructs a new RequestEnded.
             * @memberof baton.v1
             * @classdesc Represents a RequestEnded.
             * @constructor
             * @param {baton.v1.RequestEnded.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const RequestEnded = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * RequestEnded requestId.
             * @member {string} requestId
             * @memberof baton.v1.RequestEnded
             * @instance
             */
            RequestEnded.prototype.requestId = "";

            /**
             * RequestEnded planId.
             * @member {string} planId
             * @memberof baton.v1.RequestEnded
             * @instance
             */
            RequestEnded.prototype.planId = "";

            /**
             * RequestEnded leg.
             * @member {string} leg
             * @memberof baton.v1.RequestEnded
             * @instance
             */
            RequestEnded.prototype.leg = "";

            /**
             * RequestEnded outcome.
             * @member {string} outcome
             * @memberof baton.v1.RequestEnded
             * @instance
             */
            RequestEnded.prototype.outcome = "";

            /**
             * RequestEnded promptTokens.
             * @member {number} promptTokens
             * @memberof baton.v1.RequestEnded
             * @instance
             */
            RequestEnded.prototype.promptTokens = 0;

            /**
             * RequestEnded reusedTokens.
             * @member {number} reusedTokens
             * @memberof baton.v1.RequestEnded
             * @instance
             */
            RequestEnded.prototype.reusedTokens = 0;

            /**
             * RequestEnded transferredTokens.
             * @member {number} transferredTokens
             * @memberof baton.v1.RequestEnded
             * @instance
             */
            RequestEnded.prototype.transferredTokens = 0;

            /**
             * RequestEnded computedTokens.
             * @member {number} computedTokens
             * @memberof baton.v1.RequestEnded
             * @instance
             */
            RequestEnded.prototype.computedTokens = 0;

            /**
             * RequestEnded outputTokens.
             * @member {number} outputTokens
             * @memberof baton.v1.RequestEnded
             * @instance
             */
            RequestEnded.prototype.outputTokens = 0;

            /**
             * Creates a new RequestEnded instance using the specified properties.
             * @function create
             * @memberof baton.v1.RequestEnded
             * @static
             * @param {baton.v1.RequestEnded.$Properties=} [properties] Properties to set
             * @returns {baton.v1.RequestEnded} RequestEnded instance
             * @type {{
             *   (properties: baton.v1.RequestEnded.$Shape): baton.v1.RequestEnded & baton.v1.RequestEnded.$Shape;
             *   (properties?: baton.v1.RequestEnded.$Properties): baton.v1.RequestEnded;
             * }}
             */
            RequestEnded.create = function(properties) {
                return new RequestEnded(properties);
            };

            /**
             * Encodes the specified RequestEnded message. Does not implicitly {@link baton.v1.RequestEnded.verify|verify} messages.
             * @function encode
             * @memberof baton.v1.RequestEnded
             * @static
             * @param {baton.v1.RequestEnded.$Properties} message RequestEnded message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            RequestEnded.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.requestId != null && $Object.hasOwnProperty.call(message, "requestId") && message.requestId !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.requestId);
                if (message.planId != null && $Object.hasOwnProperty.call(message, "planId") && message.planId !== "")
                    writer.uint32(/* id 2, wireType 2 =*/18).string(message.planId);
                if (message.leg != null && $Object.hasOwnProperty.call(message, "leg") && message.leg !== "")
                    writer.uint32(/* id 3, wireType 2 =*/26).string(message.leg);
                if (message.outcome != null && $Object.hasOwnProperty.call(message, "outcome") && message.outcome !== "")
                    writer.uint32(/* id 4, wireType 2 =*/34).string(message.outcome);
                if (message.promptTokens != null && $Object.hasOwnProperty.call(message, "promptTokens") && message.promptTokens !== 0)
                    writer.uint32(/* id 5, wireType 0 =*/40).uint32(message.promptTokens);
                if (message.reusedTokens != null && $Object.hasOwnProperty.call(message, "reusedTokens") && message.reusedTokens !== 0)
                    writer.uint32(/* id 6, wireType 0 =*/48).uint32(message.reusedTokens);
                if (message.transferredTokens != null && $Object.hasOwnProperty.call(message, "transferredTokens") && message.transferredTokens !== 0)
                    writer.uint32(/* id 7, wireType 0 =*/56).uint32(message.transferredTokens);
                if (message.computedTokens != null && $Object.hasOwnProperty.call(message, "computedTokens") && message.computedTokens !== 0)
                    writer.uint32(/* id 8, wireType 0 =*/64).uint32(message.computedTokens);
                if (message.outputTokens != null && $Object.hasOwnProperty.call(message, "outputTokens") && message.outputTokens !== 0)
                    writer.uint32(/* id 9, wireType 0 =*/72).uint32(message.outputTokens);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a RequestEnded message from the specified reader or buffer.
             * @function decode
             * @memberof baton.v1.RequestEnded
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {baton.v1.RequestEnded & baton.v1.RequestEnded.$Shape} RequestEnded
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            RequestEnded.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.baton.v1.RequestEnded();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.requestId = value;
                            else
                                delete message.requestId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.planId = value;
                            else
                                delete message.planId;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.leg = value;
                            else
                                delete message.leg;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.outcome = value;
                            else
                                delete message.outcome;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.promptTokens = value;
                            else
                                delete message.promptTokens;
                            continue;
                        }
                    case 6: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.reusedTokens = value;
                            else
                                delete message.reusedTokens;
                            continue;
                        }
                    case 7: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.transferredTokens = value;
                            else
                                delete message.transferredTokens;
                            continue;
                        }
                    case 8: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.computedTokens = value;
                            else
                                delete message.computedTokens;
                            continue;
                        }
                    case 9: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.outputTokens = value;
                            else
                                delete message.outputTokens;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return RequestEnded;
        })();

        v1.ExportRequest = (function() {

            /**
             * Properties of an ExportRequest.
             * @typedef {Object} baton.v1.ExportRequest.$Properties
             * @property {string|null} [exportId] ExportRequest exportId
             * @property {Uint8Array|null} [keys] ExportRequest keys
             * @property {Array.<number>|null} [pages] ExportRequest pages
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of an ExportRequest.
             * @memberof baton.v1
             * @interface IExportRequest
             * @augments baton.v1.ExportRequest.$Properties
             * @deprecated Use baton.v1.ExportRequest.$Properties instead.
             */

            /**
             * Shape of an ExportRequest.
             * @typedef {baton.v1.ExportRequest.$Properties} baton.v1.ExportRequest.$Shape
             */

            /**
             * Constructs a new ExportRequest.
             * @memberof baton.v1
             * @classdesc Represents an ExportRequest.
             * @constructor
             * @param {baton.v1.ExportRequest.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const ExportRequest = function (properties) {
                this.pages = [];
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * ExportRequest exportId.
             * @member {string} exportId
             * @memberof baton.v1.ExportRequest
             * @instance
             */
            ExportRequest.prototype.exportId = "";

            /**
             * ExportRequest keys.
             * @member {Uint8Array} keys
             * @memberof baton.v1.ExportRequest
             * @instance
             */
            ExportRequest.prototype.keys = $util.newBuffer([]);

            /**
             * ExportRequest pages.
             * @member {Array.<number>} pages
             * @memberof baton.v1.ExportRequest
             * @instance
             */
            ExportRequest.prototype.pages = $util.emptyArray;

            /**
             * Creates a new ExportRequest instance using the specified properties.
             * @function create
             * @memberof baton.v1.ExportRequest
             * @static
             * @param {baton.v1.ExportRequest.$Properties=} [properties] Properties to set
             * @returns {baton.v1.ExportRequest} ExportRequest instance
             * @type {{
             *   (properties: baton.v1.ExportRequest.$Shape): baton.v1.ExportRequest & baton.v1.ExportRequest.$Shape;
             *   (properties?: baton.v1.ExportRequest.$Properties): baton.v1.ExportRequest;
             * }}
             */
            ExportRequest.create = function(properties) {
                return new ExportRequest(properties);
            };

            /**
             * Encodes the specified ExportRequest message. Does not implicitly {@link baton.v1.ExportRequest.verify|verify} messages.
             * @function encode
             * @memberof baton.v1.ExportRequest
             * @static
             * @param {baton.v1.ExportRequest.$Properties} message ExportRequest message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            ExportRequest.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.exportId != null && $Object.hasOwnProperty.call(message, "exportId") && message.exportId !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.exportId);
                if (message.keys != null && $Object.hasOwnProperty.call(message, "keys") && message.keys.length)
                    writer.uint32(/* id 2, wireType 2 =*/18).bytes(message.keys);
                if (message.pages != null && message.pages.length)
                    writer.uint32(/* id 3, wireType 2 =*/26).uint32s(message.pages);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes an ExportRequest message from the specified reader or buffer.
             * @function decode
             * @memberof baton.v1.ExportRequest
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {baton.v1.ExportRequest & baton.v1.ExportRequest.$Shape} ExportRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            ExportRequest.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.baton.v1.ExportRequest();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.exportId = value;
                            else
                                delete message.exportId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.keys = value;
                            else
                                delete message.keys;
                            continue;
                        }
                    case 3: {
                            if (wireType === 2) {
                                if (!(message.pages && message.pages.length))
                                    message.pages = [];
                                reader.uint32s(message.pages);
                                continue;
                            }
                            if (wireType !== 0)
                                break;
                            if (!(message.pages && message.pages.length))
                                message.pages = [];
                            message.pages.push(reader.uint32());
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return ExportRequest;
        })();

        v1.ExportReply = (function() {

            /**
             * Properties of an ExportReply.
             * @typedef {Object} baton.v1.ExportReply.$Properties
             * @property {string|null} [exportId] ExportReply exportId
             * @property {number|null} [exported] ExportReply exported
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of an ExportReply.
             * @memberof baton.v1
             * @interface IExportReply
             * @augments baton.v1.ExportReply.$Properties
             * @deprecated Use baton.v1.ExportReply.$Properties instead.
             */

            /**
             * Shape of an ExportReply.
             * @typedef {baton.v1.ExportReply.$Properties} baton.v1.ExportReply.$Shape
             */

            /**
             * Constructs a new ExportReply.
             * @memberof baton.v1
             * @classdesc Represents an ExportReply.
             * @constructor
             * @param {baton.v1.ExportReply.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const ExportReply = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * ExportReply exportId.
             * @member {string} exportId
             * @memberof baton.v1.ExportReply
             * @instance
             */
            ExportReply.prototype.exportId = "";

            /**
             * ExportReply exported.
             * @member {number} exported
             * @memberof baton.v1.ExportReply
             * @instance
             */
            ExportReply.prototype.exported = 0;

            /**
             * Creates a new ExportReply instance using the specified properties.
             * @function create
             * @memberof baton.v1.ExportReply
             * @static
             * @param {baton.v1.ExportReply.$Properties=} [properties] Properties to set
             * @returns {baton.v1.ExportReply} ExportReply instance
             * @type {{
             *   (properties: baton.v1.ExportReply.$Shape): baton.v1.ExportReply & baton.v1.ExportReply.$Shape;
             *   (properties?: baton.v1.ExportReply.$Properties): baton.v1.ExportReply;
             * }}
             */
            ExportReply.create = function(properties) {
                return new ExportReply(properties);
            };

            /**
             * Encodes the specified ExportReply message. Does not implicitly {@link baton.v1.ExportReply.verify|verify} messages.
             * @function encode
             * @memberof baton.v1.ExportReply
             * @static
             * @param {baton.v1.ExportReply.$Properties} message ExportReply message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            ExportReply.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.exportId != null && $Object.hasOwnProperty.call(message, "exportId") && message.exportId !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.exportId);
                if (message.exported != null && $Object.hasOwnProperty.call(message, "exported") && message.exported !== 0)
                    writer.uint32(/* id 2, wireType 0 =*/16).uint32(message.exported);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes an ExportReply message from the specified reader or buffer.
             * @function decode
             * @memberof baton.v1.ExportReply
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {baton.v1.ExportReply & baton.v1.ExportReply.$Shape} ExportReply
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            ExportReply.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.baton.v1.ExportReply();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.exportId = value;
                            else
                                delete message.exportId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.exported = value;
                            else
                                delete message.exported;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return ExportReply;
        })();

        v1.DamagedPage = (function() {

            /**
             * Properties of a DamagedPage.
             * @typedef {Object} baton.v1.DamagedPage.$Properties
             * @property {string|null} [requestId] DamagedPage requestId
             * @property {Uint8Array|null} [key] DamagedPage key
             * @property {number|null} [page] DamagedPage page
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a DamagedPage.
             * @memberof baton.v1
             * @interface IDamagedPage
             * @augments baton.v1.DamagedPage.$Properties
             * @deprecated Use baton.v1.DamagedPage.$Properties instead.
             */

            /**
             * Shape of a DamagedPage.
             * @typedef {baton.v1.DamagedPage.$Properties} baton.v1.DamagedPage.$Shape
             */

            /**
             * Constructs a new DamagedPage.
             * @memberof baton.v1
             * @classdesc Represents a DamagedPage.
             * @constructor
             * @param {baton.v1.DamagedPage.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const DamagedPage = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * DamagedPage requestId.
             * @member {string} requestId
             * @memberof baton.v1.DamagedPage
             * @instance
             */
            DamagedPage.prototype.requestId = "";

            /**
             * DamagedPage key.
             * @member {Uint8Array} key
             * @memberof baton.v1.DamagedPage
             * @instance
             */
            DamagedPage.prototype.key = $util.newBuffer([]);

            /**
             * DamagedPage page.
             * @member {number} page
             * @memberof baton.v1.DamagedPage
             * @instance
             */
            DamagedPage.prototype.page = 0;

            /**
             * Creates a new DamagedPage instance using the specified properties.
             * @function create
             * @memberof baton.v1.DamagedPage
             * @static
             * @param {baton.v1.DamagedPage.$Properties=} [properties] Properties to set
             * @returns {baton.v1.DamagedPage} DamagedPage instance
             * @type {{
             *   (properties: baton.v1.DamagedPage.$Shape): baton.v1.DamagedPage & baton.v1.DamagedPage.$Shape;
             *   (properties?: baton.v1.DamagedPage.$Properties): baton.v1.DamagedPage;
             * }}
             */
            DamagedPage.create = function(properties) {
                return new DamagedPage(properties);
            };

            /**
             * Encodes the specified DamagedPage message. Does not implicitly {@link baton.v1.DamagedPage.verify|verify} messages.
             * @function encode
             * @memberof baton.v1.DamagedPage
             * @static
             * @param {baton.v1.DamagedPage.$Properties} message DamagedPage message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            DamagedPage.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.requestId != null && $Object.hasOwnProperty.call(message, "requestId") && message.requestId !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.requestId);
                if (message.key != null && $Object.hasOwnProperty.call(message, "key") && message.key.length)
                    writer.uint32(/* id 2, wireType 2 =*/18).bytes(message.key);
                if (message.page != null && $Object.hasOwnProperty.call(message, "page") && message.page !== 0)
                    writer.uint32(/* id 3, wireType 0 =*/24).uint32(message.page);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a DamagedPage message from the specified reader or buffer.
             * @function decode
             * @memberof baton.v1.DamagedPage
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {baton.v1.DamagedPage & baton.v1.DamagedPage.$Shape} DamagedPage
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            DamagedPage.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.baton.v1.DamagedPage();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.requestId = value;
                            else
                                delete message.requestId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.key = value;
                            else
                                delete message.key;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.page = value;
                            else
                                delete message.page;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return DamagedPage;
        })();

        v1.SessionRequest = (function() {

            /**
             * Properties of a SessionRequest.
             * @typedef {Object} baton.v1.SessionRequest.$Properties
             * @property {baton.v1.GatewayHello.$Properties|null} [hello] SessionRequest hello
             * @property {baton.v1.PlanRequest.$Properties|null} [plan] SessionRequest plan
             * @property {baton.v1.PlanReport.$Properties|null} [report] SessionRequest report
             * @property {"hello"|"plan"|"report"} [message] SessionRequest message
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a SessionRequest.
             * @memberof baton.v1
             * @interface ISessionRequest
             * @augments baton.v1.SessionRequest.$Properties
             * @deprecated Use baton.v1.SessionRequest.$Properties instead.
             */

            /**
             * Narrowed shape of a SessionRequest.
             * @typedef {{
             *   hello?: baton.v1.GatewayHello.$Shape|null;
             *   plan?: baton.v1.PlanRequest.$Shape|null;
             *   report?: baton.v1.PlanReport.$Shape|null;
             *   $unknowns?: Array.<Uint8Array>;
             * } & (
             *   ({ message?: undefined; hello?: null; plan?: null; report?: null }|{ message?: "hello"; hello: baton.v1.GatewayHello.$Shape; plan?: null; report?: null }|{ message?: "plan"; hello?: null; plan: baton.v1.PlanRequest.$Shape; report?: null }|{ message?: "report"; hello?: null; plan?: null; report: baton.v1.PlanReport.$Shape })
             * )} baton.v1.SessionRequest.$Shape
             */

            /**
             * Constructs a new SessionRequest.
             * @memberof baton.v1
             * @classdesc Represents a SessionRequest.
             * @constructor
             * @param {baton.v1.SessionRequest.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const SessionRequest = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * SessionRequest hello.
             * @member {baton.v1.GatewayHello.$Properties|null|undefined} hello
             * @memberof baton.v1.SessionRequest
             * @instance
             */
            SessionRequest.prototype.hello = null;

            /**
             * SessionRequest plan.
             * @member {baton.v1.PlanRequest.$Properties|null|undefined} plan
             * @memberof baton.v1.SessionRequest
             * @instance
             */
            SessionRequest.prototype.plan = null;

            /**
             * SessionRequest report.
             * @member {baton.v1.PlanReport.$Properties|null|undefined} report
             * @memberof baton.v1.SessionRequest
             * @instance
             */
            SessionRequest.prototype.report = null;

            // OneOf field names bound to virtual getters and setters
            let $oneOfFields;

            /**
             * SessionRequest message.
             * @member {"hello"|"plan"|"report"|undefined} message
             * @memberof baton.v1.SessionRequest
             * @instance
             */
            $Object.defineProperty(SessionRequest.prototype, "message", {
                get: $util.oneOfGetter($oneOfFields = ["hello", "plan", "report"]),
                set: $util.oneOfSetter($oneOfFields)
            });

            /**
             * Creates a new SessionRequest instance using the specified properties.
             * @function create
             * @memberof baton.v1.SessionRequest
             * @static
             * @param {baton.v1.SessionRequest.$Properties=} [properties] Properties to set
             * @returns {baton.v1.SessionRequest} SessionRequest instance
             * @type {{
             *   (properties: baton.v1.SessionRequest.$Shape): baton.v1.SessionRequest & baton.v1.SessionRequest.$Shape;
             *   (properties?: baton.v1.SessionRequest.$Properties): baton.v1.SessionRequest;
             * }}
             */
            SessionRequest.create = function(properties) {
                return new SessionRequest(properties);
            };

            /**
             * Encodes the specified SessionRequest message. Does not implicitly {@link baton.v1.SessionRequest.verify|verify} messages.
             * @function encode
             * @memberof baton.v1.SessionRequest
             * @static
             * @param {baton.v1.SessionRequest.$Properties} message SessionRequest message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            SessionRequest.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.hello != null && $Object.hasOwnProperty.call(message, "hello"))
                    $root.baton.v1.GatewayHello.encode(message.hello, writer.uint32(/* id 1, wireType 2 =*/10).fork(), _depth + 1).ldelim();
                if (message.plan != null && $Object.hasOwnProperty.call(message, "plan"))
                    $root.baton.v1.PlanRequest.encode(message.plan, writer.uint32(/* id 2, wireType 2 =*/18).fork(), _depth + 1).ldelim();
                if (message.report != null && $Object.hasOwnProperty.call(message, "report"))
                    $root.baton.v1.PlanReport.encode(message.report, writer.uint32(/* id 3, wireType 2 =*/26).fork(), _depth + 1).ldelim();
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a SessionRequest message from the specified reader or buffer.
             * @function decode
             * @memberof baton.v1.SessionRequest
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {baton.v1.SessionRequest & baton.v1.SessionRequest.$Shape} SessionRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            SessionRequest.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.baton.v1.SessionRequest();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            message.hello = $root.baton.v1.GatewayHello.decode(reader, reader.size(), $undefined, _depth + 1, message.hello);
                            message.message = "hello";
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            message.plan = $root.baton.v1.PlanRequest.decode(reader, reader.size(), $undefined, _depth + 1, message.plan);
                            message.message = "plan";
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            message.report = $root.baton.v1.PlanReport.decode(reader, reader.size(), $undefined, _depth + 1, message.report);
                            message.message = "report";
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return SessionRequest;
        })();

        v1.SessionReply = (function() {

            /**
             * Properties of a SessionReply.
             * @typedef {Object} baton.v1.SessionReply.$Properties
             * @property {baton.v1.FleetUpdate.$Properties|null} [fleet] SessionReply fleet
             * @property {baton.v1.PlanReply.$Properties|null} [plan] SessionReply plan
             * @property {"fleet"|"plan"} [message] SessionReply message
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a SessionReply.
             * @memberof baton.v1
             * @interface ISessionReply
             * @augments baton.v1.SessionReply.$Properties
             * @deprecated Use baton.v1.SessionReply.$Properties instead.
             */

            /**
             * Narrowed shape of a SessionReply.
             * @typedef {{
             *   fleet?: baton.v1.FleetUpdate.$Shape|null;
             *   plan?: baton.v1.PlanReply.$Shape|null;
             *   $unknowns?: Array.<Uint8Array>;
             * } & (
             *   ({ message?: undefined; fleet?: null; plan?: null }|{ message?: "fleet"; fleet: baton.v1.FleetUpdate.$Shape; plan?: null }|{ message?: "plan"; fleet?: null; plan: baton.v1.PlanReply.$Shape })
             * )} baton.v1.SessionReply.$Shape
             */

            /**
             * Constructs a new SessionReply.
             * @memberof baton.v1
             * @classdesc Represents a SessionReply.
             * @constructor
             * @param {baton.v1.SessionReply.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const SessionReply = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * SessionReply fleet.
             * @member {baton.v1.FleetUpdate.$Properties|null|undefined} fleet
             * @memberof baton.v1.SessionReply
             * @instance
             */
            SessionReply.prototype.fleet = null;

            /**
             * SessionReply plan.
             * @member {baton.v1.PlanReply.$Properties|null|undefined} plan
             * @memberof baton.v1.SessionReply
             * @instance
             */
            SessionReply.prototype.plan = null;

            // OneOf field names bound to virtual getters and setters
            let $oneOfFields;

            /**
             * SessionReply message.
             * @member {"fleet"|"plan"|undefined} message
             * @memberof baton.v1.SessionReply
             * @instance
             */
            $Object.defineProperty(SessionReply.prototype, "message", {
                get: $util.oneOfGetter($oneOfFields = ["fleet", "plan"]),
                set: $util.oneOfSetter($oneOfFields)
            });

            /**
             * Creates a new SessionReply instance using the specified properties.
             * @function create
             * @memberof baton.v1.SessionReply
             * @static
             * @param {baton.v1.SessionReply.$Properties=} [properties] Properties to set
             * @returns {baton.v1.SessionReply} SessionReply instance
             * @type {{
             *   (properties: baton.v1.SessionReply.$Shape): baton.v1.SessionReply & baton.v1.SessionReply.$Shape;
             *   (properties?: baton.v1.SessionReply.$Properties): baton.v1.SessionReply;
             * }}
             */
            SessionReply.create = function(properties) {
                return new SessionReply(properties);
            };

            /**
             * Encodes the specified SessionReply message. Does not implicitly {@link baton.v1.SessionReply.verify|verify} messages.
             * @function encode
             * @memberof baton.v1.SessionReply
             * @static
             * @param {baton.v1.SessionReply.$Properties} message SessionReply message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            SessionReply.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.fleet != null && $Object.hasOwnProperty.call(message, "fleet"))
                    $root.baton.v1.FleetUpdate.encode(message.fleet, writer.uint32(/* id 1, wireType 2 =*/10).fork(), _depth + 1).ldelim();
                if (message.plan != null && $Object.hasOwnProperty.call(message, "plan"))
                    $root.baton.v1.PlanReply.encode(message.plan, writer.uint32(/* id 2, wireType 2 =*/18).fork(), _depth + 1).ldelim();
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a SessionReply message from the specified reader or buffer.
             * @function decode
             * @memberof baton.v1.SessionReply
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {baton.v1.SessionReply & baton.v1.SessionReply.$Shape} SessionReply
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            SessionReply.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.baton.v1.SessionReply();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            message.fleet = $root.baton.v1.FleetUpdate.decode(reader, reader.size(), $undefined, _depth + 1, message.fleet);
                            message.message = "fleet";
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            message.plan = $root.baton.v1.PlanReply.decode(reader, reader.size(), $undefined, _depth + 1, message.plan);
                            message.message = "plan";
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return SessionReply;
        })();

        v1.GatewayHello = (function() {

            /**
             * Properties of a GatewayHello.
             * @typedef {Object} baton.v1.GatewayHello.$Properties
             * @property {string|null} [gatewayId] GatewayHello gatewayId
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a GatewayHello.
             * @memberof baton.v1
             * @interface IGatewayHello
             * @augments baton.v1.GatewayHello.$Properties
             * @deprecated Use baton.v1.GatewayHello.$Properties instead.
             */

            /**
             * Shape of a GatewayHello.
             * @typedef {baton.v1.GatewayHello.$Properties} baton.v1.GatewayHello.$Shape
             */

            /**
             * Constructs a new GatewayHello.
             * @memberof baton.v1
             * @classdesc Represents a GatewayHello.
             * @constructor
             * @param {baton.v1.GatewayHello.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const GatewayHello = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * GatewayHello gatewayId.
             * @member {string} gatewayId
             * @memberof baton.v1.GatewayHello
             * @instance
             */
            GatewayHello.prototype.gatewayId = "";

            /**
             * Creates a new GatewayHello instance using the specified properties.
             * @function create
             * @memberof baton.v1.GatewayHello
             * @static
             * @param {baton.v1.GatewayHello.$Properties=} [properties] Properties to set
             * @returns {baton.v1.GatewayHello} GatewayHello instance
             * @type {{
             *   (properties: baton.v1.GatewayHello.$Shape): baton.v1.GatewayHello & baton.v1.GatewayHello.$Shape;
             *   (properties?: baton.v1.GatewayHello.$Properties): baton.v1.GatewayHello;
             * }}
             */
            GatewayHello.create = function(properties) {
                return new GatewayHello(properties);
            };

            /**
             * Encodes the specified GatewayHello message. Does not implicitly {@link baton.v1.GatewayHello.verify|verify} messages.
             * @function encode
             * @memberof baton.v1.GatewayHello
             * @static
             * @param {baton.v1.GatewayHello.$Properties} message GatewayHello message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            GatewayHello.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.gatewayId != null && $Object.hasOwnProperty.call(message, "gatewayId") && message.gatewayId !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.gatewayId);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a GatewayHello message from the specified reader or buffer.
             * @function decode
             * @memberof baton.v1.GatewayHello
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {baton.v1.GatewayHello & baton.v1.GatewayHello.$Shape} GatewayHello
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            GatewayHello.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.baton.v1.GatewayHello();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.gatewayId = value;
                            else
                                delete message.gatewayId;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return GatewayHello;
        })();

        v1.FleetUpdate = (function() {

            /**
             * Properties of a FleetUpdate.
             * @typedef {Object} baton.v1.FleetUpdate.$Properties
             * @property {Array.<baton.v1.ModelPool.$Properties>|null} [models] FleetUpdate models
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a FleetUpdate.
             * @memberof baton.v1
             * @interface IFleetUpdate
             * @augments baton.v1.FleetUpdate.$Properties
             * @deprecated Use baton.v1.FleetUpdate.$Properties instead.
             */

            /**
             * Shape of a FleetUpdate.
             * @typedef {baton.v1.FleetUpdate.$Properties} baton.v1.FleetUpdate.$Shape
             */

            /**
             * Constructs a new FleetUpdate.
             * @memberof baton.v1
             * @classdesc Represents a FleetUpdate.
             * @constructor
             * @param {baton.v1.FleetUpdate.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const FleetUpdate = function (properties) {
                this.models = [];
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * FleetUpdate models.
             * @member {Array.<baton.v1.ModelPool.$Properties>} models
             * @memberof baton.v1.FleetUpdate
             * @instance
             */
            FleetUpdate.prototype.models = $util.emptyArray;

            /**
             * Creates a new FleetUpdate instance using the specified properties.
             * @function create
             * @memberof baton.v1.FleetUpdate
             * @static
             * @param {baton.v1.FleetUpdate.$Properties=} [properties] Properties to set
             * @returns {baton.v1.FleetUpdate} FleetUpdate instance
             * @type {{
             *   (properties: baton.v1.FleetUpdate.$Shape): baton.v1.FleetUpdate & baton.v1.FleetUpdate.$Shape;
             *   (properties?: baton.v1.FleetUpdate.$Properties): baton.v1.FleetUpdate;
             * }}
             */
            FleetUpdate.create = function(properties) {
                return new FleetUpdate(properties);
            };

            /**
             * Encodes the specified FleetUpdate message. Does not implicitly {@link baton.v1.FleetUpdate.verify|verify} messages.
             * @function encode
             * @memberof baton.v1.FleetUpdate
             * @static
             * @param {baton.v1.FleetUpdate.$Properties} message FleetUpdate message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            FleetUpdate.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.models != null && message.models.length)
                    for (let i = 0; i < message.models.length; ++i)
                        $root.baton.v1.ModelPool.encode(message.models[i], writer.uint32(/* id 1, wireType 2 =*/10).fork(), _depth + 1).ldelim();
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a FleetUpdate message from the specified reader or buffer.
             * @function decode
             * @memberof baton.v1.FleetUpdate
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {baton.v1.FleetUpdate & baton.v1.FleetUpdate.$Shape} FleetUpdate
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            FleetUpdate.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.baton.v1.FleetUpdate();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if (!(message.models && message.models.length))
                                message.models = [];
                            message.models.push($root.baton.v1.ModelPool.decode(reader, reader.size(), $undefined, _depth + 1));
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return FleetUpdate;
        })();

        v1.ModelPool = (function() {

            /**
             * Properties of a ModelPool.
             * @typedef {Object} baton.v1.ModelPool.$Properties
             * @property {string|null} [model] ModelPool model
             * @property {string|null} [tokenization] ModelPool tokenization
             * @property {number|null} [segmentTokens] ModelPool segmentTokens
             * @property {number|null} [maxModelTokens] ModelPool maxModelTokens
             * @property {Array.<baton.v1.PoolWorker.$Properties>|null} [workers] ModelPool workers
             * @property {boolean|null} [ready] ModelPool ready
             * @property {baton.v1.Capabilities.$Properties|null} [capabilities] ModelPool capabilities
             * @property {Array.<baton.v1.PoolAdapter.$Properties>|null} [adapters] ModelPool adapters
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a ModelPool.
             * @memberof baton.v1
             * @interface IModelPool
             * @augments baton.v1.ModelPool.$Properties
             * @deprecated Use baton.v1.ModelPool.$Properties instead.
             */

            /**
             * Shape of a ModelPool.
             * @typedef {baton.v1.ModelPool.$Properties} baton.v1.ModelPool.$Shape
             */

            /**
             * Constructs a new ModelPool.
             * @memberof baton.v1
             * @classdesc Represents a ModelPool.
             * @constructor
             * @param {baton.v1.ModelPool.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const ModelPool = function (properties) {
                this.workers = [];
                this.adapters = [];
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * ModelPool model.
             * @member {string} model
             * @memberof baton.v1.ModelPool
             * @instance
             */
            ModelPool.prototype.model = "";

            /**
             * ModelPool tokenization.
             * @member {string} tokenization
             * @memberof baton.v1.ModelPool
             * @instance
             */
            ModelPool.prototype.tokenization = "";

            /**
             * ModelPool segmentTokens.
             * @member {number} segmentTokens
             * @memberof baton.v1.ModelPool
             * @instance
             */
            ModelPool.prototype.segmentTokens = 0;

            /**
             * ModelPool maxModelTokens.
             * @member {number} maxModelTokens
             * @memberof baton.v1.ModelPool
             * @instance
             */
            ModelPool.prototype.maxModelTokens = 0;

            /**
             * ModelPool workers.
             * @member {Array.<baton.v1.PoolWorker.$Properties>} workers
             * @memberof baton.v1.ModelPool
             * @instance
             */
            ModelPool.prototype.workers = $util.emptyArray;

            /**
             * ModelPool ready.
             * @member {boolean} ready
             * @memberof baton.v1.ModelPool
             * @instance
             */
            ModelPool.prototype.ready = false;

            /**
             * ModelPool capabilities.
             * @member {baton.v1.Capabilities.$Properties|null|undefined} capabilities
             * @memberof baton.v1.ModelPool
             * @instance
             */
            ModelPool.prototype.capabilities = null;

            /**
             * ModelPool adapters.
             * @member {Array.<baton.v1.PoolAdapter.$Properties>} adapters
             * @memberof baton.v1.ModelPool
             * @instance
             */
            ModelPool.prototype.adapters = $util.emptyArray;

            /**
             * Creates a new ModelPool instance using the specified properties.
             * @function create
             * @memberof baton.v1.ModelPool
             * @static
             * @param {baton.v1.ModelPool.$Properties=} [properties] Properties to set
             * @returns {baton.v1.ModelPool} ModelPool instance
             * @type {{
             *   (properties: baton.v1.ModelPool.$Shape): baton.v1.ModelPool & baton.v1.ModelPool.$Shape;
             *   (properties?: baton.v1.ModelPool.$Properties): baton.v1.ModelPool;
             * }}
             */
            ModelPool.create = function(properties) {
                return new ModelPool(properties);
            };

            /**
             * Encodes the specified ModelPool message. Does not implicitly {@link baton.v1.ModelPool.verify|verify} messages.
             * @function encode
             * @memberof baton.v1.ModelPool
             * @static
             * @param {baton.v1.ModelPool.$Properties} message ModelPool message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            ModelPool.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.model != null && $Object.hasOwnProperty.call(message, "model") && message.model !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.model);
                if (message.tokenization != null && $Object.hasOwnProperty.call(message, "tokenization") && message.tokenization !== "")
                    writer.uint32(/* id 2, wireType 2 =*/18).string(message.tokenization);
                if (message.segmentTokens != null && $Object.hasOwnProperty.call(message, "segmentTokens") && message.segmentTokens !== 0)
                    writer.uint32(/* id 3, wireType 0 =*/24).uint32(message.segmentTokens);
                if (message.maxModelTokens != null && $Object.hasOwnProperty.call(message, "maxModelTokens") && message.maxModelTokens !== 0)
                    writer.uint32(/* id 4, wireType 0 =*/32).uint32(message.maxModelTokens);
                if (message.workers != null && message.workers.length)
                    for (let i = 0; i < message.workers.length; ++i)
                        $root.baton.v1.PoolWorker.encode(message.workers[i], writer.uint32(/* id 5, wireType 2 =*/42).fork(), _depth + 1).ldelim();
                if (message.ready != null && $Object.hasOwnProperty.call(message, "ready") && message.ready !== false)
                    writer.uint32(/* id 6, wireType 0 =*/48).bool(message.ready);
                if (message.capabilities != null && $Object.hasOwnProperty.call(message, "capabilities"))
                    $root.baton.v1.Capabilities.encode(message.capabilities, writer.uint32(/* id 7, wireType 2 =*/58).fork(), _depth + 1).ldelim();
                if (message.adapters != null && message.adapters.length)
                    for (let i = 0; i < message.adapters.length; ++i)
                        $root.baton.v1.PoolAdapter.encode(message.adapters[i], writer.uint32(/* id 8, wireType 2 =*/66).fork(), _depth + 1).ldelim();
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a ModelPool message from the specified reader or buffer.
             * @function decode
             * @memberof baton.v1.ModelPool
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {baton.v1.ModelPool & baton.v1.ModelPool.$Shape} ModelPool
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            ModelPool.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.baton.v1.ModelPool();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.model = value;
                            else
                                delete message.model;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.tokenization = value;
                            else
                                delete message.tokenization;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.segmentTokens = value;
                            else
                                delete message.segmentTokens;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.maxModelTokens = value;
                            else
                                delete message.maxModelTokens;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 2)
                                break;
                            if (!(message.workers && message.workers.length))
                                message.workers = [];
                            message.workers.push($root.baton.v1.PoolWorker.decode(reader, reader.size(), $undefined, _depth + 1));
                            continue;
                        }
                    case 6: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.bool())
                                message.ready = value;
                            else
                                delete message.ready;
                            continue;
                        }
                    case 7: {
                            if (wireType !== 2)
                                break;
                            message.capabilities = $root.baton.v1.Capabilities.decode(reader, reader.size(), $undefined, _depth + 1, message.capabilities);
                            continue;
                        }
                    case 8: {
                            if (wireType !== 2)
                                break;
                            if (!(message.adapters && message.adapters.length))
                                message.adapters = [];
                            message.adapters.push($root.baton.v1.PoolAdapter.decode(reader, reader.size(), $undefined, _depth + 1));
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return ModelPool;
        })();

        v1.PoolAdapter = (function() {

            /**
             * Properties of a PoolAdapter.
             * @typedef {Object} baton.v1.PoolAdapter.$Properties
             * @property {string|null} [name] PoolAdapter name
             * @property {string|null} [revision] PoolAdapter revision
             * @property {boolean|null} [ready] PoolAdapter ready
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a PoolAdapter.
             * @memberof baton.v1
             * @interface IPoolAdapter
             * @augments baton.v1.PoolAdapter.$Properties
             * @deprecated Use baton.v1.PoolAdapter.$Properties instead.
             */

            /**
             * Shape of a PoolAdapter.
             * @typedef {baton.v1.PoolAdapter.$Properties} baton.v1.PoolAdapter.$Shape
             */

            /**
             * Constructs a new PoolAdapter.
             * @memberof baton.v1
             * @classdesc Represents a PoolAdapter.
             * @constructor
             * @param {baton.v1.PoolAdapter.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const PoolAdapter = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * PoolAdapter name.
             * @member {string} name
             * @memberof baton.v1.PoolAdapter
             * @instance
             */
            PoolAdapter.prototype.name = "";

            /**
             * PoolAdapter revision.
             * @member {string} revision
             * @memberof baton.v1.PoolAdapter
             * @instance
             */
            PoolAdapter.prototype.revision = "";

            /**
             * PoolAdapter ready.
             * @member {boolean} ready
             * @memberof baton.v1.PoolAdapter
             * @instance
             */
            PoolAdapter.prototype.ready = false;

            /**
             * Creates a new PoolAdapter instance using the specified properties.
             * @function create
             * @memberof baton.v1.PoolAdapter
             * @static
             * @param {baton.v1.PoolAdapter.$Properties=} [properties] Properties to set
             * @returns {baton.v1.PoolAdapter} PoolAdapter instance
             * @type {{
             *   (properties: baton.v1.PoolAdapter.$Shape): baton.v1.PoolAdapter & baton.v1.PoolAdapter.$Shape;
             *   (properties?: baton.v1.PoolAdapter.$Properties): baton.v1.PoolAdapter;
             * }}
             */
            PoolAdapter.create = function(properties) {
                return new PoolAdapter(properties);
            };

            /**
             * Encodes the specified PoolAdapter message. Does not implicitly {@link baton.v1.PoolAdapter.verify|verify} messages.
             * @function encode
             * @memberof baton.v1.PoolAdapter
             * @static
             * @param {baton.v1.PoolAdapter.$Properties} message PoolAdapter message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            PoolAdapter.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.name != null && $Object.hasOwnProperty.call(message, "name") && message.name !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.name);
                if (message.revision != null && $Object.hasOwnProperty.call(message, "revision") && message.revision !== "")
                    writer.uint32(/* id 2, wireType 2 =*/18).string(message.revision);
                if (message.ready != null && $Object.hasOwnProperty.call(message, "ready") && message.ready !== false)
                    writer.uint32(/* id 3, wireType 0 =*/24).bool(message.ready);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a PoolAdapter message from the specified reader or buffer.
             * @function decode
             * @memberof baton.v1.PoolAdapter
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {baton.v1.PoolAdapter & baton.v1.PoolAdapter.$Shape} PoolAdapter
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            PoolAdapter.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.baton.v1.PoolAdapter();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.name = value;
                            else
                                delete message.name;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.revision = value;
                            else
                                delete message.revision;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.bool())
                                message.ready = value;
                            else
                                delete message.ready;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return PoolAdapter;
        })();

        v1.PoolWorker = (function() {

            /**
             * Properties of a PoolWorker.
             * @typedef {Object} baton.v1.PoolWorker.$Properties
             * @property {string|null} [workerId] PoolWorker workerId
             * @property {string|null} [engineUrl] PoolWorker engineUrl
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a PoolWorker.
             * @memberof baton.v1
             * @interface IPoolWorker
             * @augments baton.v1.PoolWorker.$Properties
             * @deprecated Use baton.v1.PoolWorker.$Properties instead.
             */

            /**
             * Shape of a PoolWorker.
             * @typedef {baton.v1.PoolWorker.$Properties} baton.v1.PoolWorker.$Shape
             */

            /**
             * Constructs a new PoolWorker.
             * @memberof baton.v1
             * @classdesc Represents a PoolWorker.
             * @constructor
             * @param {baton.v1.PoolWorker.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const PoolWorker = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * PoolWorker workerId.
             * @member {string} workerId
             * @memberof baton.v1.PoolWorker
             * @instance
             */
            PoolWorker.prototype.workerId = "";

            /**
             * PoolWorker engineUrl.
             * @member {string} engineUrl
             * @memberof baton.v1.PoolWorker
             * @instance
             */
            PoolWorker.prototype.engineUrl = "";

            /**
             * Creates a new PoolWorker instance using the specified properties.
             * @function create
             * @memberof baton.v1.PoolWorker
             * @static
             * @param {baton.v1.PoolWorker.$Properties=} [properties] Properties to set
             * @returns {baton.v1.PoolWorker} PoolWorker instance
             * @type {{
             *   (properties: baton.v1.PoolWorker.$Shape): baton.v1.PoolWorker & baton.v1.PoolWorker.$Shape;
             *   (properties?: baton.v1.PoolWorker.$Properties): baton.v1.PoolWorker;
             * }}
             */
            PoolWorker.create = function(properties) {
                return new PoolWorker(properties);
            };

            /**
             * Encodes the specified PoolWorker message. Does not implicitly {@link baton.v1.PoolWorker.verify|verify} messages.
             * @function encode
             * @memberof baton.v1.PoolWorker
             * @static
             * @param {baton.v1.PoolWorker.$Properties} message PoolWorker message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            PoolWorker.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.workerId != null && $Object.hasOwnProperty.call(message, "workerId") && message.workerId !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.workerId);
                if (message.engineUrl != null && $Object.hasOwnProperty.call(message, "engineUrl") && message.engineUrl !== "")
                    writer.uint32(/* id 2, wireType 2 =*/18).string(message.engineUrl);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a PoolWorker message from the specified reader or buffer.
             * @function decode
             * @memberof baton.v1.PoolWorker
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {baton.v1.PoolWorker & baton.v1.PoolWorker.$Shape} PoolWorker
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            PoolWorker.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.baton.v1.PoolWorker();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.workerId = value;
                            else
                                delete message.workerId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.engineUrl = value;
                            else
                                delete message.engineUrl;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return PoolWorker;
        })();

        v1.PlanRequest = (function() {

            /**
             * Properties of a PlanRequest.
             * @typedef {Object} baton.v1.PlanRequest.$Properties
             * @property {string|null} [requestId] PlanRequest requestId
             * @property {string|null} [model] PlanRequest model
             * @property {Uint8Array|null} [segmentKeys] PlanRequest segmentKeys
             * @property {number|null} [promptTokens] PlanRequest promptTokens
             * @property {number|null} [maxOutputTokens] PlanRequest maxOutputTokens
             * @property {string|null} [traceparent] PlanRequest traceparent
             * @property {Array.<string>|null} [excludeWorkers] PlanRequest excludeWorkers
             * @property {number|null} [maxWaitMs] PlanRequest maxWaitMs
             * @property {baton.v1.RequestHints.$Properties|null} [hints] PlanRequest hints
             * @property {baton.v1.Adapter.$Properties|null} [adapter] PlanRequest adapter
             * @property {baton.v1.KeptTurn.$Properties|null} [keptTurn] PlanRequest keptTurn
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a PlanRequest.
             * @memberof baton.v1
             * @interface IPlanRequest
             * @augments baton.v1.PlanRequest.$Properties
             * @deprecated Use baton.v1.PlanRequest.$Properties instead.
             */

            /**
             * Shape of a PlanRequest.
             * @typedef {baton.v1.PlanRequest.$Properties} baton.v1.PlanRequest.$Shape
             */

            /**
             * Constructs a new PlanRequest.
             * @memberof baton.v1
             * @classdesc Represents a PlanRequest.
             * @constructor
             * @param {baton.v1.PlanRequest.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const PlanRequest = function (properties) {
                this.excludeWorkers = [];
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * PlanRequest requestId.
             * @member {string} requestId
             * @memberof baton.v1.PlanRequest
             * @instance
             */
            PlanRequest.prototype.requestId = "";

            /**
             * PlanRequest model.
             * @member {string} model
             * @memberof baton.v1.PlanRequest
             * @instance
             */
            PlanRequest.prototype.model = "";

            /**
             * PlanRequest segmentKeys.
             * @member {Uint8Array} segmentKeys
             * @memberof baton.v1.PlanRequest
             * @instance
             */
            PlanRequest.prototype.segmentKeys = $util.newBuffer([]);

            /**
             * PlanRequest promptTokens.
             * @member {number} promptTokens
             * @memberof baton.v1.PlanRequest
             * @instance
             */
            PlanRequest.prototype.promptTokens = 0;

            /**
             * PlanRequest maxOutputTokens.
             * @member {number} maxOutputTokens
             * @memberof baton.v1.PlanRequest
             * @instance
             */
            PlanRequest.prototype.maxOutputTokens = 0;

            /**
             * PlanRequest traceparent.
             * @member {string} traceparent
             * @memberof baton.v1.PlanRequest
             * @instance
             */
            PlanRequest.prototype.traceparent = "";

            /**
             * PlanRequest excludeWorkers.
             * @member {Array.<string>} excludeWorkers
             * @memberof baton.v1.PlanRequest
             * @instance
             */
            PlanRequest.prototype.excludeWorkers = $util.emptyArray;

            /**
             * PlanRequest maxWaitMs.
             * @member {number} maxWaitMs
             * @memberof baton.v1.PlanRequest
             * @instance
             */
            PlanRequest.prototype.maxWaitMs = 0;

            /**
             * PlanRequest hints.
             * @member {baton.v1.RequestHints.$Properties|null|undefined} hints
             * @memberof baton.v1.PlanRequest
             * @instance
             */
            PlanRequest.prototype.hints = null;

            /**
             * PlanRequest adapter.
             * @member {baton.v1.Adapter.$Properties|null|undefined} adapter
             * @memberof baton.v1.PlanRequest
             * @instance
             */
            PlanRequest.prototype.adapter = null;

            /**
             * PlanRequest keptTurn.
             * @member {baton.v1.KeptTurn.$Properties|null|undefined} keptTurn
             * @memberof baton.v1.PlanRequest
             * @instance
             */
            PlanRequest.prototype.keptTurn = null;

            /**
             * Creates a new PlanRequest instance using the specified properties.
             * @function create
             * @memberof baton.v1.PlanRequest
             * @static
             * @param {baton.v1.PlanRequest.$Properties=} [properties] Properties to set
             * @returns {baton.v1.PlanRequest} PlanRequest instance
             * @type {{
             *   (properties: baton.v1.PlanRequest.$Shape): baton.v1.PlanRequest & baton.v1.PlanRequest.$Shape;
             *   (properties?: baton.v1.PlanRequest.$Properties): baton.v1.PlanRequest;
             * }}
             */
            PlanRequest.create = function(properties) {
                return new PlanRequest(properties);
            };

            /**
             * Encodes the specified PlanRequest message. Does not implicitly {@link baton.v1.PlanRequest.verify|verify} messages.
             * @function encode
             * @memberof baton.v1.PlanRequest
             * @static
             * @param {baton.v1.PlanRequest.$Properties} message PlanRequest message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            PlanRequest.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.requestId != null && $Object.hasOwnProperty.call(message, "requestId") && message.requestId !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.requestId);
                if (message.model != null && $Object.hasOwnProperty.call(message, "model") && message.model !== "")
                    writer.uint32(/* id 2, wireType 2 =*/18).string(message.model);
                if (message.segmentKeys != null && $Object.hasOwnProperty.call(message, "segmentKeys") && message.segmentKeys.length)
                    writer.uint32(/* id 3, wireType 2 =*/26).bytes(message.segmentKeys);
                if (message.promptTokens != null && $Object.hasOwnProperty.call(message, "promptTokens") && message.promptTokens !== 0)
                    writer.uint32(/* id 4, wireType 0 =*/32).uint32(message.promptTokens);
                if (message.maxOutputTokens != null && $Object.hasOwnProperty.call(message, "maxOutputTokens") && message.maxOutputTokens !== 0)
                    writer.uint32(/* id 5, wireType 0 =*/40).uint32(message.maxOutputTokens);
                if (message.traceparent != null && $Object.hasOwnProperty.call(message, "traceparent") && message.traceparent !== "")
                    writer.uint32(/* id 6, wireType 2 =*/50).string(message.traceparent);
                if (message.excludeWorkers != null && message.excludeWorkers.length)
                    for (let i = 0; i < message.excludeWorkers.length; ++i)
                        writer.uint32(/* id 7, wireType 2 =*/58).string(message.excludeWorkers[i]);
                if (message.maxWaitMs != null && $Object.hasOwnProperty.call(message, "maxWaitMs") && message.maxWaitMs !== 0)
                    writer.uint32(/* id 8, wireType 0 =*/64).uint32(message.maxWaitMs);
                if (message.hints != null && $Object.hasOwnProperty.call(message, "hints"))
                    $root.baton.v1.RequestHints.encode(message.hints, writer.uint32(/* id 9, wireType 2 =*/74).fork(), _depth + 1).ldelim();
                if (message.adapter != null && $Object.hasOwnProperty.call(message, "adapter"))
                    $root.baton.v1.Adapter.encode(message.adapter, writer.uint32(/* id 10, wireType 2 =*/82).fork(), _depth + 1).ldelim();
                if (message.keptTurn != null && $Object.hasOwnProperty.call(message, "keptTurn"))
                    $root.baton.v1.KeptTurn.encode(message.keptTurn, writer.uint32(/* id 11, wireType 2 =*/90).fork(), _depth + 1).ldelim();
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a PlanRequest message from the specified reader or buffer.
             * @function decode
             * @memberof baton.v1.PlanRequest
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {baton.v1.PlanRequest & baton.v1.PlanRequest.$Shape} PlanRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            PlanRequest.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.baton.v1.PlanRequest();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.requestId = value;
                            else
                                delete message.requestId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.model = value;
                            else
                                delete message.model;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.segmentKeys = value;
                            else
                                delete message.segmentKeys;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.promptTokens = value;
                            else
                                delete message.promptTokens;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.maxOutputTokens = value;
                            else
                                delete message.maxOutputTokens;
                            continue;
                        }
                    case 6: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.traceparent = value;
                            else
                                delete message.traceparent;
                            continue;
                        }
                    case 7: {
                            if (wireType !== 2)
                                break;
                            if (!(message.excludeWorkers && message.excludeWorkers.length))
                                message.excludeWorkers = [];
                            message.excludeWorkers.push(reader.stringVerify());
                            continue;
                        }
                    case 8: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.maxWaitMs = value;
                            else
                                delete message.maxWaitMs;
                            continue;
                        }
                    case 9: {
                            if (wireType !== 2)
                                break;
                            message.hints = $root.baton.v1.RequestHints.decode(reader, reader.size(), $undefined, _depth + 1, message.hints);
                            continue;
                        }
                    case 10: {
                            if (wireType !== 2)
                                break;
                            message.adapter = $root.baton.v1.Adapter.decode(reader, reader.size(), $undefined, _depth + 1, message.adapter);
                            continue;
                        }
                    case 11: {
                            if (wireType !== 2)
                                break;
                            message.keptTurn = $root.baton.v1.KeptTurn.decode(reader, reader.size(), $undefined, _depth + 1, message.keptTurn);
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return PlanRequest;
        })();

        v1.KeptTurn = (function() {

            /**
             * Properties of a KeptTurn.
             * @typedef {Object} baton.v1.KeptTurn.$Properties
             * @property {string|null} [workerId] KeptTurn workerId
             * @property {baton.v1.Epoch.$Properties|null} [epoch] KeptTurn epoch
             * @property {number|null} [tokens] KeptTurn tokens
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a KeptTurn.
             * @memberof baton.v1
             * @interface IKeptTurn
             * @augments baton.v1.KeptTurn.$Properties
             * @deprecated Use baton.v1.KeptTurn.$Properties instead.
             */

            /**
             * Shape of a KeptTurn.
             * @typedef {baton.v1.KeptTurn.$Properties} baton.v1.KeptTurn.$Shape
             */

            /**
             * Constructs a new KeptTurn.
             * @memberof baton.v1
             * @classdesc Represents a KeptTurn.
             * @constructor
             * @param {baton.v1.KeptTurn.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const KeptTurn = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * KeptTurn workerId.
             * @member {string} workerId
             * @memberof baton.v1.KeptTurn
             * @instance
             */
            KeptTurn.prototype.workerId = "";

            /**
             * KeptTurn epoch.
             * @member {baton.v1.Epoch.$Properties|null|undefined} epoch
             * @memberof baton.v1.KeptTurn
             * @instance
             */
            KeptTurn.prototype.epoch = null;

            /**
             * KeptTurn tokens.
             * @member {number} tokens
             * @memberof baton.v1.KeptTurn
             * @instance
             */
            KeptTurn.prototype.tokens = 0;

            /**
             * Creates a new KeptTurn instance using the specified properties.
             * @function create
             * @memberof baton.v1.KeptTurn
             * @static
             * @param {baton.v1.KeptTurn.$Properties=} [properties] Properties to set
             * @returns {baton.v1.KeptTurn} KeptTurn instance
             * @type {{
             *   (properties: baton.v1.KeptTurn.$Shape): baton.v1.KeptTurn & baton.v1.KeptTurn.$Shape;
             *   (properties?: baton.v1.KeptTurn.$Properties): baton.v1.KeptTurn;
             * }}
             */
            KeptTurn.create = function(properties) {
                return new KeptTurn(properties);
            };

            /**
             * Encodes the specified KeptTurn message. Does not implicitly {@link baton.v1.KeptTurn.verify|verify} messages.
             * @function encode
             * @memberof baton.v1.KeptTurn
             * @static
             * @param {baton.v1.KeptTurn.$Properties} message KeptTurn message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            KeptTurn.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.workerId != null && $Object.hasOwnProperty.call(message, "workerId") && message.workerId !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.workerId);
                if (message.epoch != null && $Object.hasOwnProperty.call(message, "epoch"))
                    $root.baton.v1.Epoch.encode(message.epoch, writer.uint32(/* id 2, wireType 2 =*/18).fork(), _depth + 1).ldelim();
                if (message.tokens != null && $Object.hasOwnProperty.call(message, "tokens") && message.tokens !== 0)
                    writer.uint32(/* id 3, wireType 0 =*/24).uint32(message.tokens);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a KeptTurn message from the specified reader or buffer.
             * @function decode
             * @memberof baton.v1.KeptTurn
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {baton.v1.KeptTurn & baton.v1.KeptTurn.$Shape} KeptTurn
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            KeptTurn.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.baton.v1.KeptTurn();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.workerId = value;
                            else
                                delete message.workerId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            message.epoch = $root.baton.v1.Epoch.decode(reader, reader.size(), $undefined, _depth + 1, message.epoch);
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.tokens = value;
                            else
                                delete message.tokens;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return KeptTurn;
        })();

        v1.RequestHints = (function() {

            /**
             * Properties of a RequestHints.
             * @typedef {Object} baton.v1.RequestHints.$Properties
             * @property {string|null} [sessionId] RequestHints sessionId
             * @property {string|null} [tenant] RequestHints tenant
             * @property {number|null} [priority] RequestHints priority
             * @property {number|null} [ttftSloMs] RequestHints ttftSloMs
             * @property {number|null} [tbtSloMs] RequestHints tbtSloMs
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a RequestHints.
             * @memberof baton.v1
             * @interface IRequestHints
             * @augments baton.v1.RequestHints.$Properties
             * @deprecated Use baton.v1.RequestHints.$Properties instead.
             */

            /**
             * Shape of a RequestHints.
             * @typedef {baton.v1.RequestHints.$Properties} baton.v1.RequestHints.$Shape
             */

            /**
             * Constructs a new RequestHints.
             * @memberof baton.v1
             * @classdesc Represents a RequestHints.
             * @constructor
             * @param {baton.v1.RequestHints.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const RequestHints = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * RequestHints sessionId.
             * @member {string} sessionId
             * @memberof baton.v1.RequestHints
             * @instance
             */
            RequestHints.prototype.sessionId = "";

            /**
             * RequestHints tenant.
             * @member {string} tenant
             * @memberof baton.v1.RequestHints
             * @instance
             */
            RequestHints.prototype.tenant = "";

            /**
             * RequestHints priority.
             * @member {number} priority
             * @memberof baton.v1.RequestHints
             * @instance
             */
            RequestHints.prototype.priority = 0;

            /**
             * RequestHints ttftSloMs.
             * @member {number} ttftSloMs
             * @memberof baton.v1.RequestHints
             * @instance
             */
            RequestHints.prototype.ttftSloMs = 0;

            /**
             * RequestHints tbtSloMs.
             * @member {number} tbtSloMs
             * @memberof baton.v1.RequestHints
             * @instance
             */
            RequestHints.prototype.tbtSloMs = 0;

            /**
             * Creates a new RequestHints instance using the specified properties.
             * @function create
             * @memberof baton.v1.RequestHints
             * @static
             * @param {baton.v1.RequestHints.$Properties=} [properties] Properties to set
             * @returns {baton.v1.RequestHints} RequestHints instance
             * @type {{
             *   (properties: baton.v1.RequestHints.$Shape): baton.v1.RequestHints & baton.v1.RequestHints.$Shape;
             *   (properties?: baton.v1.RequestHints.$Properties): baton.v1.RequestHints;
             * }}
             */
            RequestHints.create = function(properties) {
                return new RequestHints(properties);
            };

            /**
             * Encodes the specified RequestHints message. Does not implicitly {@link baton.v1.RequestHints.verify|verify} messages.
             * @function encode
             * @memberof baton.v1.RequestHints
             * @static
             * @param {baton.v1.RequestHints.$Properties} message RequestHints message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            RequestHints.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.sessionId != null && $Object.hasOwnProperty.call(message, "sessionId") && message.sessionId !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.sessionId);
                if (message.tenant != null && $Object.hasOwnProperty.call(message, "tenant") && message.tenant !== "")
                    writer.uint32(/* id 2, wireType 2 =*/18).string(message.tenant);
                if (message.priority != null && $Object.hasOwnProperty.call(message, "priority") && message.priority !== 0)
                    writer.uint32(/* id 3, wireType 0 =*/24).uint32(message.priority);
                if (message.ttftSloMs != null && $Object.hasOwnProperty.call(message, "ttftSloMs") && message.ttftSloMs !== 0)
                    writer.uint32(/* id 4, wireType 0 =*/32).uint32(message.ttftSloMs);
                if (message.tbtSloMs != null && $Object.hasOwnProperty.call(message, "tbtSloMs") && message.tbtSloMs !== 0)
                    writer.uint32(/* id 5, wireType 0 =*/40).uint32(message.tbtSloMs);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a RequestHints message from the specified reader or buffer.
             * @function decode
             * @memberof baton.v1.RequestHints
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {baton.v1.RequestHints & baton.v1.RequestHints.$Shape} RequestHints
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            RequestHints.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.baton.v1.RequestHints();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.sessionId = value;
                            else
                                delete message.sessionId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.tenant = value;
                            else
                                delete message.tenant;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.priority = value;
                            else
                                delete message.priority;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.ttftSloMs = value;
                            else
                                delete message.ttftSloMs;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.tbtSloMs = value;
                            else
                                delete message.tbtSloMs;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return RequestHints;
        })();

        /**
         * PlanMode enum.
         * @name baton.v1.PlanMode
         * @enum {number}
         * @property {number} PLAN_MODE_UNSPECIFIED=0 PLAN_MODE_UNSPECIFIED value
         * @property {number} PLAN_MODE_AGGREGATED=1 PLAN_MODE_AGGREGATED value
         * @property {number} PLAN_MODE_DISAGGREGATED=2 PLAN_MODE_DISAGGREGATED value
         */
        v1.PlanMode = (function() {
            const valuesById = $Object.create(null), values = $Object.create(valuesById);
            values[valuesById[0] = "PLAN_MODE_UNSPECIFIED"] = 0;
            values[valuesById[1] = "PLAN_MODE_AGGREGATED"] = 1;
            values[valuesById[2] = "PLAN_MODE_DISAGGREGATED"] = 2;
            return values;
        })();

        v1.Leg = (function() {

            /**
             * Properties of a Leg.
             * @typedef {Object} baton.v1.Leg.$Properties
             * @property {string|null} [workerId] Leg workerId
             * @property {string|null} [engineUrl] Leg engineUrl
             * @property {number|null} [heldTokens] Leg heldTokens
             * @property {string|null} [engine] Leg engine
             * @property {string|null} [connector] Leg connector
             * @property {number|null} [blockTokens] Leg blockTokens
             * @property {baton.v1.MeetingPoint.$Properties|null} [meetingPoint] Leg meetingPoint
             * @property {boolean|null} [pairOnly] Leg pairOnly
             * @property {number|null} [rank] Leg rank
             * @property {baton.v1.Epoch.$Properties|null} [epoch] Leg epoch
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a Leg.
             * @memberof baton.v1
             * @interface ILeg
             * @augments baton.v1.Leg.$Properties
             * @deprecated Use baton.v1.Leg.$Properties instead.
             */

            /**
             * Shape of a Leg.
             * @typedef {baton.v1.Leg.$Properties} baton.v1.Leg.$Shape
             */

            /**
             * Constructs a new Leg.
             * @memberof baton.v1
             * @classdesc Represents a Leg.
             * @constructor
             * @param {baton.v1.Leg.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const Leg = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * Leg workerId.
             * @member {string} workerId
             * @memberof baton.v1.Leg
             * @instance
             */
            Leg.prototype.workerId = "";

            /**
             * Leg engineUrl.
             * @member {string} engineUrl
             * @memberof baton.v1.Leg
             * @instance
             */
            Leg.prototype.engineUrl = "";

            /**
             * Leg heldTokens.
             * @member {number} heldTokens
             * @memberof baton.v1.Leg
             * @instance
             */
            Leg.prototype.heldTokens = 0;

            /**
             * Leg engine.
             * @member {string} engine
             * @memberof baton.v1.Leg
             * @instance
             */
            Leg.prototype.engine = "";

            /**
             * Leg connector.
             * @member {string} connector
             * @memberof baton.v1.Leg
             * @instance
             */
            Leg.prototype.connector = "";

            /**
             * Leg blockTokens.
             * @member {number} blockTokens
             * @memberof baton.v1.Leg
             * @instance
             */
            Leg.prototype.blockTokens = 0;

            /**
             * Leg meetingPoint.
             * @member {baton.v1.MeetingPoint.$Properties|null|undefined} meetingPoint
             * @memberof baton.v1.Leg
             * @instance
             */
            Leg.prototype.meetingPoint = null;

            /**
             * Leg pairOnly.
             * @member {boolean} pairOnly
             * @memberof baton.v1.Leg
             * @instance
             */
            Leg.prototype.pairOnly = false;

            /**
             * Leg rank.
             * @member {number|null|undefined} rank
             * @memberof baton.v1.Leg
             * @instance
             */
            Leg.prototype.rank = null;

            /**
             * Leg epoch.
             * @member {baton.v1.Epoch.$Properties|null|undefined} epoch
             * @memberof baton.v1.Leg
             * @instance
             */
            Leg.prototype.epoch = null;

            // OneOf field names bound to virtual getters and setters
            let $oneOfFields;

            // Virtual OneOf for proto3 optional field
            $Object.defineProperty(Leg.prototype, "_rank", {
                get: $util.oneOfGetter($oneOfFields = ["rank"]),
                set: $util.oneOfSetter($oneOfFields)
            });

            /**
             * Creates a new Leg instance using the specified properties.
             * @function create
             * @memberof baton.v1.Leg
             * @static
             * @param {baton.v1.Leg.$Properties=} [properties] Properties to set
             * @returns {baton.v1.Leg} Leg instance
             * @type {{
             *   (properties: baton.v1.Leg.$Shape): baton.v1.Leg & baton.v1.Leg.$Shape;
             *   (properties?: baton.v1.Leg.$Properties): baton.v1.Leg;
             * }}
             */
            Leg.create = function(properties) {
                return new Leg(properties);
            };

            /**
             * Encodes the specified Leg message. Does not implicitly {@link baton.v1.Leg.verify|verify} messages.
             * @function encode
             * @memberof baton.v1.Leg
             * @static
             * @param {baton.v1.Leg.$Properties} message Leg message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            Leg.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.workerId != null && $Object.hasOwnProperty.call(message, "workerId") && message.workerId !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.workerId);
                if (message.engineUrl != null && $Object.hasOwnProperty.call(message, "engineUrl") && message.engineUrl !== "")
                    writer.uint32(/* id 2, wireType 2 =*/18).string(message.engineUrl);
                if (message.heldTokens != null && $Object.hasOwnProperty.call(message, "heldTokens") && message.heldTokens !== 0)
                    writer.uint32(/* id 3, wireType 0 =*/24).uint32(message.heldTokens);
                if (message.engine != null && $Object.hasOwnProperty.call(message, "engine") && message.engine !== "")
                    writer.uint32(/* id 4, wireType 2 =*/34).string(message.engine);
                if (message.connector != null && $Object.hasOwnProperty.call(message, "connector") && message.connector !== "")
                    writer.uint32(/* id 5, wireType 2 =*/42).string(message.connector);
                if (message.blockTokens != null && $Object.hasOwnProperty.call(message, "blockTokens") && message.blockTokens !== 0)
                    writer.uint32(/* id 6, wireType 0 =*/48).uint32(message.blockTokens);
                if (message.meetingPoint != null && $Object.hasOwnProperty.call(message, "meetingPoint"))
                    $root.baton.v1.MeetingPoint.encode(message.meetingPoint, writer.uint32(/* id 7, wireType 2 =*/58).fork(), _depth + 1).ldelim();
                if (message.pairOnly != null && $Object.hasOwnProperty.call(message, "pairOnly") && message.pairOnly !== false)
                    writer.uint32(/* id 8, wireType 0 =*/64).bool(message.pairOnly);
                if (message.rank != null && $Object.hasOwnProperty.call(message, "rank"))
                    writer.uint32(/* id 9, wireType 0 =*/72).uint32(message.rank);
                if (message.epoch != null && $Object.hasOwnProperty.call(message, "epoch"))
                    $root.baton.v1.Epoch.encode(message.epoch, writer.uint32(/* id 11, wireType 2 =*/90).fork(), _depth + 1).ldelim();
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a Leg message from the specified reader or buffer.
             * @function decode
             * @memberof baton.v1.Leg
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {baton.v1.Leg & baton.v1.Leg.$Shape} Leg
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            Leg.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.baton.v1.Leg();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.workerId = value;
                            else
                                delete message.workerId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.engineUrl = value;
                            else
                                delete message.engineUrl;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.heldTokens = value;
                            else
                                delete message.heldTokens;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.engine = value;
                            else
                                delete message.engine;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.connector = value;
                            else
                                delete message.connector;
                            continue;
                        }
                    case 6: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.blockTokens = value;
                            else
                                delete message.blockTokens;
                            continue;
                        }
                    case 7: {
                            if (wireType !== 2)
                                break;
                            message.meetingPoint = $root.baton.v1.MeetingPoint.decode(reader, reader.size(), $undefined, _depth + 1, message.meetingPoint);
                            continue;
                        }
                    case 8: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.bool())
                                message.pairOnly = value;
                            else
                                delete message.pairOnly;
                            continue;
                        }
                    case 9: {
                            if (wireType !== 0)
                                break;
                            message.rank = reader.uint32();
                            message._rank = "rank";
                            continue;
                        }
                    case 11: {
                            if (wireType !== 2)
                                break;
                            message.epoch = $root.baton.v1.Epoch.decode(reader, reader.size(), $undefined, _depth + 1, message.epoch);
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return Leg;
        })();

        v1.PlanReply = (function() {

            /**
             * Properties of a PlanReply.
             * @typedef {Object} baton.v1.PlanReply.$Properties
             * @property {string|null} [requestId] PlanReply requestId
             * @property {string|null} [planId] PlanReply planId
             * @property {baton.v1.PlanMode|null} [mode] PlanReply mode
             * @property {baton.v1.Leg.$Properties|null} [prefill] PlanReply prefill
             * @property {baton.v1.Leg.$Properties|null} [decode] PlanReply decode
             * @property {number|null} [prefixTokens] PlanReply prefixTokens
             * @property {number|null} [leaseMs] PlanReply leaseMs
             * @property {baton.v1.PlanRefusal.$Properties|null} [refusal] PlanReply refusal
             * @property {boolean|null} [readsTurn] PlanReply readsTurn
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a PlanReply.
             * @memberof baton.v1
             * @interface IPlanReply
             * @augments baton.v1.PlanReply.$Properties
             * @deprecated Use baton.v1.PlanReply.$Properties instead.
             */

            /**
             * Shape of a PlanReply.
             * @typedef {baton.v1.PlanReply.$Properties} baton.v1.PlanReply.$Shape
             */

            /**
             * Constructs a new PlanReply.
             * @memberof baton.v1
             * @classdesc Represents a PlanReply.
             * @constructor
             * @param {baton.v1.PlanReply.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const PlanReply = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * PlanReply requestId.
             * @member {string} requestId
             * @memberof baton.v1.PlanReply
             * @instance
             */
            PlanReply.prototype.requestId = "";

            /**
             * PlanReply planId.
             * @member {string} planId
             * @memberof baton.v1.PlanReply
             * @instance
             */
            PlanReply.prototype.planId = "";

            /**
             * PlanReply mode.
             * @member {baton.v1.PlanMode} mode
             * @memberof baton.v1.PlanReply
             * @instance
             */
            PlanReply.prototype.mode = 0;

            /**
             * PlanReply prefill.
             * @member {baton.v1.Leg.$Properties|null|undefined} prefill
             * @memberof baton.v1.PlanReply
             * @instance
             */
            PlanReply.prototype.prefill = null;

            /**
             * PlanReply decode.
             * @member {baton.v1.Leg.$Properties|null|undefined} decode
             * @memberof baton.v1.PlanReply
             * @instance
             */
            PlanReply.prototype.decode = null;

            /**
             * PlanReply prefixTokens.
             * @member {number} prefixTokens
             * @memberof baton.v1.PlanReply
             * @instance
             */
            PlanReply.prototype.prefixTokens = 0;

            /**
             * PlanReply leaseMs.
             * @member {number} leaseMs
             * @memberof baton.v1.PlanReply
             * @instance
             */
            PlanReply.prototype.leaseMs = 0;

            /**
             * PlanReply refusal.
             * @member {baton.v1.PlanRefusal.$Properties|null|undefined} refusal
             * @memberof baton.v1.PlanReply
             * @instance
             */
            PlanReply.prototype.refusal = null;

            /**
             * PlanReply readsTurn.
             * @member {boolean} readsTurn
             * @memberof baton.v1.PlanReply
             * @instance
             */
            PlanReply.prototype.readsTurn = false;

            /**
             * Creates a new PlanReply instance using the specified properties.
             * @function create
             * @memberof baton.v1.PlanReply
             * @static
             * @param {baton.v1.PlanReply.$Properties=} [properties] Properties to set
             * @returns {baton.v1.PlanReply} PlanReply instance
             * @type {{
             *   (properties: baton.v1.PlanReply.$Shape): baton.v1.PlanReply & baton.v1.PlanReply.$Shape;
             *   (properties?: baton.v1.PlanReply.$Properties): baton.v1.PlanReply;
             * }}
             */
            PlanReply.create = function(properties) {
                return new PlanReply(properties);
            };

            /**
             * Encodes the specified PlanReply message. Does not implicitly {@link baton.v1.PlanReply.verify|verify} messages.
             * @function encode
             * @memberof baton.v1.PlanReply
             * @static
             * @param {baton.v1.PlanReply.$Properties} message PlanReply message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            PlanReply.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.requestId != null && $Object.hasOwnProperty.call(message, "requestId") && message.requestId !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.requestId);
                if (message.planId != null && $Object.hasOwnProperty.call(message, "planId") && message.planId !== "")
                    writer.uint32(/* id 2, wireType 2 =*/18).string(message.planId);
                if (message.mode != null && $Object.hasOwnProperty.call(message, "mode") && message.mode !== 0)
                    writer.uint32(/* id 3, wireType 0 =*/24).int32(message.mode);
                if (message.prefill != null && $Object.hasOwnProperty.call(message, "prefill"))
                    $root.baton.v1.Leg.encode(message.prefill, writer.uint32(/* id 4, wireType 2 =*/34).fork(), _depth + 1).ldelim();
                if (message.decode != null && $Object.hasOwnProperty.call(message, "decode"))
                    $root.baton.v1.Leg.encode(message.decode, writer.uint32(/* id 5, wireType 2 =*/42).fork(), _depth + 1).ldelim();
                if (message.prefixTokens != null && $Object.hasOwnProperty.call(message, "prefixTokens") && message.prefixTokens !== 0)
                    writer.uint32(/* id 6, wireType 0 =*/48).uint32(message.prefixTokens);
                if (message.leaseMs != null && $Object.hasOwnProperty.call(message, "leaseMs") && message.leaseMs !== 0)
                    writer.uint32(/* id 7, wireType 0 =*/56).uint32(message.leaseMs);
                if (message.refusal != null && $Object.hasOwnProperty.call(message, "refusal"))
                    $root.baton.v1.PlanRefusal.encode(message.refusal, writer.uint32(/* id 8, wireType 2 =*/66).fork(), _depth + 1).ldelim();
                if (message.readsTurn != null && $Object.hasOwnProperty.call(message, "readsTurn") && message.readsTurn !== false)
                    writer.uint32(/* id 9, wireType 0 =*/72).bool(message.readsTurn);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a PlanReply message from the specified reader or buffer.
             * @function decode
             * @memberof baton.v1.PlanReply
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {baton.v1.PlanReply & baton.v1.PlanReply.$Shape} PlanReply
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            PlanReply.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.baton.v1.PlanReply();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.requestId = value;
                            else
                                delete message.requestId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.planId = value;
                            else
                                delete message.planId;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.mode = value;
                            else
                                delete message.mode;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            message.prefill = $root.baton.v1.Leg.decode(reader, reader.size(), $undefined, _depth + 1, message.prefill);
                            continue;
                        }
                    case 5: {
                            if (wireType !== 2)
                                break;
                            message.decode = $root.baton.v1.Leg.decode(reader, reader.size(), $undefined, _depth + 1, message.decode);
                            continue;
                        }
                    case 6: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.prefixTokens = value;
                            else
                                delete message.prefixTokens;
                            continue;
                        }
                    case 7: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.leaseMs = value;
                            else
                                delete message.leaseMs;
                            continue;
                        }
                    case 8: {
                            if (wireType !== 2)
                                break;
                            message.refusal = $root.baton.v1.PlanRefusal.decode(reader, reader.size(), $undefined, _depth + 1, message.refusal);
                            continue;
                        }
                    case 9: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.bool())
                                message.readsTurn = value;
                            else
                                delete message.readsTurn;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return PlanReply;
        })();

        v1.PlanRefusal = (function() {

            /**
             * Properties of a PlanRefusal.
             * @typedef {Object} baton.v1.PlanRefusal.$Properties
             * @property {string|null} [code] PlanRefusal code
             * @property {string|null} [message] PlanRefusal message
             * @property {number|null} [retryAfterMs] PlanRefusal retryAfterMs
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a PlanRefusal.
             * @memberof baton.v1
             * @interface IPlanRefusal
             * @augments baton.v1.PlanRefusal.$Properties
             * @deprecated Use baton.v1.PlanRefusal.$Properties instead.
             */

            /**
             * Shape of a PlanRefusal.
             * @typedef {baton.v1.PlanRefusal.$Properties} baton.v1.PlanRefusal.$Shape
             */

            /**
             * Constructs a new PlanRefusal.
             * @memberof baton.v1
             * @classdesc Represents a PlanRefusal.
             * @constructor
             * @param {baton.v1.PlanRefusal.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const PlanRefusal = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * PlanRefusal code.
             * @member {string} code
             * @memberof baton.v1.PlanRefusal
             * @instance
             */
            PlanRefusal.prototype.code = "";

            /**
             * PlanRefusal message.
             * @member {string} message
             * @memberof baton.v1.PlanRefusal
             * @instance
             */
            PlanRefusal.prototype.message = "";

            /**
             * PlanRefusal retryAfterMs.
             * @member {number} retryAfterMs
             * @memberof baton.v1.PlanRefusal
             * @instance
             */
            PlanRefusal.prototype.retryAfterMs = 0;

            /**
             * Creates a new PlanRefusal instance using the specified properties.
             * @function create
             * @memberof baton.v1.PlanRefusal
             * @static
             * @param {baton.v1.PlanRefusal.$Properties=} [properties] Properties to set
             * @returns {baton.v1.PlanRefusal} PlanRefusal instance
             * @type {{
             *   (properties: baton.v1.PlanRefusal.$Shape): baton.v1.PlanRefusal & baton.v1.PlanRefusal.$Shape;
             *   (properties?: baton.v1.PlanRefusal.$Properties): baton.v1.PlanRefusal;
             * }}
             */
            PlanRefusal.create = function(properties) {
                return new PlanRefusal(properties);
            };

            /**
             * Encodes the specified PlanRefusal message. Does not implicitly {@link baton.v1.PlanRefusal.verify|verify} messages.
             * @function encode
             * @memberof baton.v1.PlanRefusal
             * @static
             * @param {baton.v1.PlanRefusal.$Properties} message PlanRefusal message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            PlanRefusal.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.code != null && $Object.hasOwnProperty.call(message, "code") && message.code !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.code);
                if (message.message != null && $Object.hasOwnProperty.call(message, "message") && message.message !== "")
                    writer.uint32(/* id 2, wireType 2 =*/18).string(message.message);
                if (message.retryAfterMs != null && $Object.hasOwnProperty.call(message, "retryAfterMs") && message.retryAfterMs !== 0)
                    writer.uint32(/* id 3, wireType 0 =*/24).uint32(message.retryAfterMs);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a PlanRefusal message from the specified reader or buffer.
             * @function decode
             * @memberof baton.v1.PlanRefusal
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {baton.v1.PlanRefusal & baton.v1.PlanRefusal.$Shape} PlanRefusal
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            PlanRefusal.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.baton.v1.PlanRefusal();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.code = value;
                            else
                                delete message.code;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.message = value;
                            else
                                delete message.message;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.retryAfterMs = value;
                            else
                                delete message.retryAfterMs;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return PlanRefusal;
        })();

        /**
         * PlanPhase enum.
         * @name baton.v1.PlanPhase
         * @enum {number}
         * @property {number} PLAN_PHASE_UNSPECIFIED=0 PLAN_PHASE_UNSPECIFIED value
         * @property {number} PLAN_PHASE_FIRST_TOKEN=1 PLAN_PHASE_FIRST_TOKEN value
         * @property {number} PLAN_PHASE_PROGRESS=2 PLAN_PHASE_PROGRESS value
         * @property {number} PLAN_PHASE_FINISHED=3 PLAN_PHASE_FINISHED value
         * @property {number} PLAN_PHASE_ABORTED=4 PLAN_PHASE_ABORTED value
         * @property {number} PLAN_PHASE_FAILED=5 PLAN_PHASE_FAILED value
         * @property {number} PLAN_PHASE_PREFILLED=6 PLAN_PHASE_PREFILLED value
         */
        v1.PlanPhase = (function() {
            const valuesById = $Object.create(null), values = $Object.create(valuesById);
            values[valuesById[0] = "PLAN_PHASE_UNSPECIFIED"] = 0;
            values[valuesById[1] = "PLAN_PHASE_FIRST_TOKEN"] = 1;
            values[valuesById[2] = "PLAN_PHASE_PROGRESS"] = 2;
            values[valuesById[3] = "PLAN_PHASE_FINISHED"] = 3;
            values[valuesById[4] = "PLAN_PHASE_ABORTED"] = 4;
            values[valuesById[5] = "PLAN_PHASE_FAILED"] = 5;
            values[valuesById[6] = "PLAN_PHASE_PREFILLED"] = 6;
            return values;
        })();

        v1.PlanReport = (function() {

            /**
             * Properties of a PlanReport.
             * @typedef {Object} baton.v1.PlanReport.$Properties
             * @property {string|null} [planId] PlanReport planId
             * @property {baton.v1.PlanPhase|null} [phase] PlanReport phase
             * @property {number|null} [outputTokens] PlanReport outputTokens
             * @property {number|null} [computedTokens] PlanReport computedTokens
             * @property {number|null} [ttftMs] PlanReport ttftMs
             * @property {string|null} [code] PlanReport code
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a PlanReport.
             * @memberof baton.v1
             * @interface IPlanReport
             * @augments baton.v1.PlanReport.$Properties
             * @deprecated Use baton.v1.PlanReport.$Properties instead.
             */

            /**
             * Shape of a PlanReport.
             * @typedef {baton.v1.PlanReport.$Properties} baton.v1.PlanReport.$Shape
             */

            /**
             * Constructs a new PlanReport.
             * @memberof baton.v1
             * @classdesc Represents a PlanReport.
             * @constructor
             * @param {baton.v1.PlanReport.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const PlanReport = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * PlanReport planId.
             * @member {string} planId
             * @memberof baton.v1.PlanReport
             * @instance
             */
            PlanReport.prototype.planId = "";

            /**
             * PlanReport phase.
             * @member {baton.v1.PlanPhase} phase
             * @memberof baton.v1.PlanReport
             * @instance
             */
            PlanReport.prototype.phase = 0;

            /**
             * PlanReport outputTokens.
             * @member {number} outputTokens
             * @memberof baton.v1.PlanReport
             * @instance
             */
            PlanReport.prototype.outputTokens = 0;

            /**
             * PlanReport computedTokens.
             * @member {number} computedTokens
             * @memberof baton.v1.PlanReport
             * @instance
             */
            PlanReport.prototype.computedTokens = 0;

            /**
             * PlanReport ttftMs.
             * @member {number} ttftMs
             * @memberof baton.v1.PlanReport
             * @instance
             */
            PlanReport.prototype.ttftMs = 0;

            /**
             * PlanReport code.
             * @member {string} code
             * @memberof baton.v1.PlanReport
             * @instance
             */
            PlanReport.prototype.code = "";

            /**
             * Creates a new PlanReport instance using the specified properties.
             * @function create
             * @memberof baton.v1.PlanReport
             * @static
             * @param {baton.v1.PlanReport.$Properties=} [properties] Properties to set
             * @returns {baton.v1.PlanReport} PlanReport instance
             * @type {{
             *   (properties: baton.v1.PlanReport.$Shape): baton.v1.PlanReport & baton.v1.PlanReport.$Shape;
             *   (properties?: baton.v1.PlanReport.$Properties): baton.v1.PlanReport;
             * }}
             */
            PlanReport.create = function(properties) {
                return new PlanReport(properties);
            };

            /**
             * Encodes the specified PlanReport message. Does not implicitly {@link baton.v1.PlanReport.verify|verify} messages.
             * @function encode
             * @memberof baton.v1.PlanReport
             * @static
             * @param {baton.v1.PlanReport.$Properties} message PlanReport message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            PlanReport.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.planId != null && $Object.hasOwnProperty.call(message, "planId") && message.planId !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.planId);
                if (message.phase != null && $Object.hasOwnProperty.call(message, "phase") && message.phase !== 0)
                    writer.uint32(/* id 2, wireType 0 =*/16).int32(message.phase);
                if (message.outputTokens != null && $Object.hasOwnProperty.call(message, "outputTokens") && message.outputTokens !== 0)
                    writer.uint32(/* id 3, wireType 0 =*/24).uint32(message.outputTokens);
                if (message.computedTokens != null && $Object.hasOwnProperty.call(message, "computedTokens") && message.computedTokens !== 0)
                    writer.uint32(/* id 4, wireType 0 =*/32).uint32(message.computedTokens);
                if (message.ttftMs != null && $Object.hasOwnProperty.call(message, "ttftMs") && !$Object.is(message.ttftMs, 0))
                    writer.uint32(/* id 5, wireType 1 =*/41).double(message.ttftMs);
                if (message.code != null && $Object.hasOwnProperty.call(message, "code") && message.code !== "")
                    writer.uint32(/* id 6, wireType 2 =*/50).string(message.code);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a PlanReport message from the specified reader or buffer.
             * @function decode
             * @memberof baton.v1.PlanReport
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {baton.v1.PlanReport & baton.v1.PlanReport.$Shape} PlanReport
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            PlanReport.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.baton.v1.PlanReport();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.planId = value;
                            else
                                delete message.planId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.phase = value;
                            else
                                delete message.phase;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.outputTokens = value;
                            else
                                delete message.outputTokens;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.computedTokens = value;
                            else
                                delete message.computedTokens;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 1)
                                break;
                            if (!$Object.is(value = reader.double(), 0))
                                message.ttftMs = value;
                            else
                                delete message.ttftMs;
                            continue;
                        }
                    case 6: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.code = value;
                            else
                                delete message.code;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return PlanReport;
        })();

        /**
         * TransferReason enum.
         * @name baton.v1.TransferReason
         * @enum {number}
         * @property {number} TRANSFER_REASON_UNSPECIFIED=0 TRANSFER_REASON_UNSPECIFIED value
         * @property {number} TRANSFER_REASON_PREFIX=1 TRANSFER_REASON_PREFIX value
         * @property {number} TRANSFER_REASON_HANDOVER=2 TRANSFER_REASON_HANDOVER value
         * @property {number} TRANSFER_REASON_REPLICATE=3 TRANSFER_REASON_REPLICATE value
         * @property {number} TRANSFER_REASON_PROMOTE=4 TRANSFER_REASON_PROMOTE value
         * @property {number} TRANSFER_REASON_MIGRATE=5 TRANSFER_REASON_MIGRATE value
         */
        v1.TransferReason = (function() {
            const valuesById = $Object.create(null), values = $Object.create(valuesById);
            values[valuesById[0] = "TRANSFER_REASON_UNSPECIFIED"] = 0;
            values[valuesById[1] = "TRANSFER_REASON_PREFIX"] = 1;
            values[valuesById[2] = "TRANSFER_REASON_HANDOVER"] = 2;
            values[valuesById[3] = "TRANSFER_REASON_REPLICATE"] = 3;
            values[valuesById[4] = "TRANSFER_REASON_PROMOTE"] = 4;
            values[valuesById[5] = "TRANSFER_REASON_MIGRATE"] = 5;
            return values;
        })();

        v1.TransferOrder = (function() {

            /**
             * Properties of a TransferOrder.
             * @typedef {Object} baton.v1.TransferOrder.$Properties
             * @property {string|null} [transferId] TransferOrder transferId
             * @property {string|null} [planId] TransferOrder planId
             * @property {baton.v1.TransferReason|null} [reason] TransferOrder reason
             * @property {string|null} [sourceWorker] TransferOrder sourceWorker
             * @property {string|null} [sourceAddress] TransferOrder sourceAddress
             * @property {Uint8Array|null} [keys] TransferOrder keys
             * @property {boolean|null} [withTail] TransferOrder withTail
             * @property {number|null} [timeoutMs] TransferOrder timeoutMs
             * @property {string|null} [traceparent] TransferOrder traceparent
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a TransferOrder.
             * @memberof baton.v1
             * @interface ITransferOrder
             * @augments baton.v1.TransferOrder.$Properties
             * @deprecated Use baton.v1.TransferOrder.$Properties instead.
             */

            /**
             * Shape of a TransferOrder.
             * @typedef {baton.v1.TransferOrder.$Properties} baton.v1.TransferOrder.$Shape
             */

            /**
             * Constructs a new TransferOrder.
             * @memberof baton.v1
             * @classdesc Represents a TransferOrder.
             * @constructor
             * @param {baton.v1.TransferOrder.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const TransferOrder = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * TransferOrder transferId.
             * @member {string} transferId
             * @memberof baton.v1.TransferOrder
             * @instance
             */
            TransferOrder.prototype.transferId = "";

            /**
             * TransferOrder planId.
             * @member {string} planId
             * @memberof baton.v1.TransferOrder
             * @instance
             */
            TransferOrder.prototype.planId = "";

            /**
             * TransferOrder reason.
             * @member {baton.v1.TransferReason} reason
             * @memberof baton.v1.TransferOrder
             * @instance
             */
            TransferOrder.prototype.reason = 0;

            /**
             * TransferOrder sourceWorker.
             * @member {string} sourceWorker
             * @memberof baton.v1.TransferOrder
             * @instance
             */
            TransferOrder.prototype.sourceWorker = "";

            /**
             * TransferOrder sourceAddress.
             * @member {string} sourceAddress
             * @memberof baton.v1.TransferOrder
             * @instance
             */
            TransferOrder.prototype.sourceAddress = "";

            /**
             * TransferOrder keys.
             * @member {Uint8Array} keys
             * @memberof baton.v1.TransferOrder
             * @instance
             */
            TransferOrder.prototype.keys = $util.newBuffer([]);

            /**
             * TransferOrder withTail.
             * @member {boolean} withTail
             * @memberof baton.v1.TransferOrder
             * @instance
             */
            TransferOrder.prototype.withTail = false;

            /**
             * TransferOrder timeoutMs.
             * @member {number} timeoutMs
             * @memberof baton.v1.TransferOrder
             * @instance
             */
            TransferOrder.prototype.timeoutMs = 0;

            /**
             * TransferOrder traceparent.
             * @member {string} traceparent
             * @memberof baton.v1.TransferOrder
             * @instance
             */
            TransferOrder.prototype.traceparent = "";

            /**
             * Creates a new TransferOrder instance using the specified properties.
             * @function create
             * @memberof baton.v1.TransferOrder
             * @static
             * @param {baton.v1.TransferOrder.$Properties=} [properties] Properties to set
             * @returns {baton.v1.TransferOrder} TransferOrder instance
             * @type {{
             *   (properties: baton.v1.TransferOrder.$Shape): baton.v1.TransferOrder & baton.v1.TransferOrder.$Shape;
             *   (properties?: baton.v1.TransferOrder.$Properties): baton.v1.TransferOrder;
             * }}
             */
            TransferOrder.create = function(properties) {
                return new TransferOrder(properties);
            };

            /**
             * Encodes the specified TransferOrder message. Does not implicitly {@link baton.v1.TransferOrder.verify|verify} messages.
             * @function encode
             * @memberof baton.v1.TransferOrder
             * @static
             * @param {baton.v1.TransferOrder.$Properties} message TransferOrder message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            TransferOrder.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.transferId != null && $Object.hasOwnProperty.call(message, "transferId") && message.transferId !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.transferId);
                if (message.planId != null && $Object.hasOwnProperty.call(message, "planId") && message.planId !== "")
                    writer.uint32(/* id 2, wireType 2 =*/18).string(message.planId);
                if (message.reason != null && $Object.hasOwnProperty.call(message, "reason") && message.reason !== 0)
                    writer.uint32(/* id 3, wireType 0 =*/24).int32(message.reason);
                if (message.sourceWorker != null && $Object.hasOwnProperty.call(message, "sourceWorker") && message.sourceWorker !== "")
                    writer.uint32(/* id 4, wireType 2 =*/34).string(message.sourceWorker);
                if (message.sourceAddress != null && $Object.hasOwnProperty.call(message, "sourceAddress") && message.sourceAddress !== "")
                    writer.uint32(/* id 5, wireType 2 =*/42).string(message.sourceAddress);
                if (message.keys != null && $Object.hasOwnProperty.call(message, "keys") && message.keys.length)
                    writer.uint32(/* id 6, wireType 2 =*/50).bytes(message.keys);
                if (message.withTail != null && $Object.hasOwnProperty.call(message, "withTail") && message.withTail !== false)
                    writer.uint32(/* id 7, wireType 0 =*/56).bool(message.withTail);
                if (message.timeoutMs != null && $Object.hasOwnProperty.call(message, "timeoutMs") && message.timeoutMs !== 0)
                    writer.uint32(/* id 8, wireType 0 =*/64).uint32(message.timeoutMs);
                if (message.traceparent != null && $Object.hasOwnProperty.call(message, "traceparent") && message.traceparent !== "")
                    writer.uint32(/* id 9, wireType 2 =*/74).string(message.traceparent);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a TransferOrder message from the specified reader or buffer.
             * @function decode
             * @memberof baton.v1.TransferOrder
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {baton.v1.TransferOrder & baton.v1.TransferOrder.$Shape} TransferOrder
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            TransferOrder.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.baton.v1.TransferOrder();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.transferId = value;
                            else
                                delete message.transferId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.planId = value;
                            else
                                delete message.planId;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.reason = value;
                            else
                                delete message.reason;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.sourceWorker = value;
                            else
                                delete message.sourceWorker;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.sourceAddress = value;
                            else
                                delete message.sourceAddress;
                            continue;
                        }
                    case 6: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.keys = value;
                            else
                                delete message.keys;
                            continue;
                        }
                    case 7: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.bool())
                                message.withTail = value;
                            else
                                delete message.withTail;
                            continue;
                        }
                    case 8: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.timeoutMs = value;
                            else
                                delete message.timeoutMs;
                            continue;
                        }
                    case 9: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.traceparent = value;
                            else
                                delete message.traceparent;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return TransferOrder;
        })();

        v1.TransferAck = (function() {

            /**
             * Properties of a TransferAck.
             * @typedef {Object} baton.v1.TransferAck.$Properties
             * @property {boolean|null} [accepted] TransferAck accepted
             * @property {string|null} [code] TransferAck code
             * @property {string|null} [message] TransferAck message
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a TransferAck.
             * @memberof baton.v1
             * @interface ITransferAck
             * @augments baton.v1.TransferAck.$Properties
             * @deprecated Use baton.v1.TransferAck.$Properties instead.
             */

            /**
             * Shape of a TransferAck.
             * @typedef {baton.v1.TransferAck.$Properties} baton.v1.TransferAck.$Shape
             */

            /**
             * Constructs a new TransferAck.
             * @memberof baton.v1
             * @classdesc Represents a TransferAck.
             * @constructor
             * @param {baton.v1.TransferAck.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const TransferAck = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * TransferAck accepted.
             * @member {boolean} accepted
             * @memberof baton.v1.TransferAck
             * @instance
             */
            TransferAck.prototype.accepted = false;

            /**
             * TransferAck code.
             * @member {string} code
             * @memberof baton.v1.TransferAck
             * @instance
             */
            TransferAck.prototype.code = "";

            /**
             * TransferAck message.
             * @member {string} message
             * @memberof baton.v1.TransferAck
             * @instance
             */
            TransferAck.prototype.message = "";

            /**
             * Creates a new TransferAck instance using the specified properties.
             * @function create
             * @memberof baton.v1.TransferAck
             * @static
             * @param {baton.v1.TransferAck.$Properties=} [properties] Properties to set
             * @returns {baton.v1.TransferAck} TransferAck instance
             * @type {{
             *   (properties: baton.v1.TransferAck.$Shape): baton.v1.TransferAck & baton.v1.TransferAck.$Shape;
             *   (properties?: baton.v1.TransferAck.$Properties): baton.v1.TransferAck;
             * }}
             */
            TransferAck.create = function(properties) {
                return new TransferAck(properties);
            };

            /**
             * Encodes the specified TransferAck message. Does not implicitly {@link baton.v1.TransferAck.verify|verify} messages.
             * @function encode
             * @memberof baton.v1.TransferAck
             * @static
             * @param {baton.v1.TransferAck.$Properties} message TransferAck message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            TransferAck.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.accepted != null && $Object.hasOwnProperty.call(message, "accepted") && message.accepted !== false)
                    writer.uint32(/* id 1, wireType 0 =*/8).bool(message.accepted);
                if (message.code != null && $Object.hasOwnProperty.call(message, "code") && message.code !== "")
                    writer.uint32(/* id 2, wireType 2 =*/18).string(message.code);
                if (message.message != null && $Object.hasOwnProperty.call(message, "message") && message.message !== "")
                    writer.uint32(/* id 3, wireType 2 =*/26).string(message.message);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a TransferAck message from the specified reader or buffer.
             * @function decode
             * @memberof baton.v1.TransferAck
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {baton.v1.TransferAck & baton.v1.TransferAck.$Shape} TransferAck
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            TransferAck.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.baton.v1.TransferAck();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.bool())
                                message.accepted = value;
                            else
                                delete message.accepted;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.code = value;
                            else
                                delete message.code;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.message = value;
                            else
                                delete message.message;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return TransferAck;
        })();

        /**
         * TransferStatus enum.
         * @name baton.v1.TransferStatus
         * @enum {number}
         * @property {number} TRANSFER_STATUS_UNSPECIFIED=0 TRANSFER_STATUS_UNSPECIFIED value
         * @property {number} TRANSFER_STATUS_DONE=1 TRANSFER_STATUS_DONE value
         * @property {number} TRANSFER_STATUS_PARTIAL=2 TRANSFER_STATUS_PARTIAL value
         * @property {number} TRANSFER_STATUS_FAILED=3 TRANSFER_STATUS_FAILED value
         * @property {number} TRANSFER_STATUS_CANCELLED=4 TRANSFER_STATUS_CANCELLED value
         */
        v1.TransferStatus = (function() {
            const valuesById = $Object.create(null), values = $Object.create(valuesById);
            values[valuesById[0] = "TRANSFER_STATUS_UNSPECIFIED"] = 0;
            values[valuesById[1] = "TRANSFER_STATUS_DONE"] = 1;
            values[valuesById[2] = "TRANSFER_STATUS_PARTIAL"] = 2;
            values[valuesById[3] = "TRANSFER_STATUS_FAILED"] = 3;
            values[valuesById[4] = "TRANSFER_STATUS_CANCELLED"] = 4;
            return values;
        })();

        v1.TransferResult = (function() {

            /**
             * Properties of a TransferResult.
             * @typedef {Object} baton.v1.TransferResult.$Properties
             * @property {string|null} [transferId] TransferResult transferId
             * @property {string|null} [workerId] TransferResult workerId
             * @property {baton.v1.TransferStatus|null} [status] TransferResult status
             * @property {number|null} [segments] TransferResult segments
             * @property {number|null} [bytes] TransferResult bytes
             * @property {number|null} [durationMs] TransferResult durationMs
             * @property {number|null} [bytesPerSec] TransferResult bytesPerSec
             * @property {string|null} [backend] TransferResult backend
             * @property {string|null} [code] TransferResult code
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a TransferResult.
             * @memberof baton.v1
             * @interface ITransferResult
             * @augments baton.v1.TransferResult.$Properties
             * @deprecated Use baton.v1.TransferResult.$Properties instead.
             */

            /**
             * Shape of a TransferResult.
             * @typedef {baton.v1.TransferResult.$Properties} baton.v1.TransferResult.$Shape
             */

            /**
             * Constructs a new TransferResult.
             * @memberof baton.v1
             * @classdesc Represents a TransferResult.
             * @constructor
             * @param {baton.v1.TransferResult.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const TransferResult = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * TransferResult transferId.
             * @member {string} transferId
             * @memberof baton.v1.TransferResult
             * @instance
             */
            TransferResult.prototype.transferId = "";

            /**
             * TransferResult workerId.
             * @member {string} workerId
             * @memberof baton.v1.TransferResult
             * @instance
             */
            TransferResult.prototype.workerId = "";

            /**
             * TransferResult status.
             * @member {baton.v1.TransferStatus} status
             * @memberof baton.v1.TransferResult
             * @instance
             */
            TransferResult.prototype.status = 0;

            /**
             * TransferResult segments.
             * @member {number} segments
             * @memberof baton.v1.TransferResult
             * @instance
             */
            TransferResult.prototype.segments = 0;

            /**
             * TransferResult bytes.
             * @member {number} bytes
             * @memberof baton.v1.TransferResult
             * @instance
             */
            TransferResult.prototype.bytes = $util.Long ? $util.Long.fromBits(0,0,true) : 0;

            /**
             * TransferResult durationMs.
             * @member {number} durationMs
             * @memberof baton.v1.TransferResult
             * @instance
             */
            TransferResult.prototype.durationMs = 0;

            /**
             * TransferResult bytesPerSec.
             * @member {number} bytesPerSec
             * @memberof baton.v1.TransferResult
             * @instance
             */
            TransferResult.prototype.bytesPerSec = 0;

            /**
             * TransferResult backend.
             * @member {string} backend
             * @memberof baton.v1.TransferResult
             * @instance
             */
            TransferResult.prototype.backend = "";

            /**
             * TransferResult code.
             * @member {string} code
             * @memberof baton.v1.TransferResult
             * @instance
             */
            TransferResult.prototype.code = "";

            /**
             * Creates a new TransferResult instance using the specified properties.
             * @function create
             * @memberof baton.v1.TransferResult
             * @static
             * @param {baton.v1.TransferResult.$Properties=} [properties] Properties to set
             * @returns {baton.v1.TransferResult} TransferResult instance
             * @type {{
             *   (properties: baton.v1.TransferResult.$Shape): baton.v1.TransferResult & baton.v1.TransferResult.$Shape;
             *   (properties?: baton.v1.TransferResult.$Properties): baton.v1.TransferResult;
             * }}
             */
            TransferResult.create = function(properties) {
                return new TransferResult(properties);
            };

            /**
             * Encodes the specified TransferResult message. Does not implicitly {@link baton.v1.TransferResult.verify|verify} messages.
             * @function encode
             * @memberof baton.v1.TransferResult
             * @static
             * @param {baton.v1.TransferResult.$Properties} message TransferResult message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            TransferResult.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.transferId != null && $Object.hasOwnProperty.call(message, "transferId") && message.transferId !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.transferId);
                if (message.workerId != null && $Object.hasOwnProperty.call(message, "workerId") && message.workerId !== "")
                    writer.uint32(/* id 2, wireType 2 =*/18).string(message.workerId);
                if (message.status != null && $Object.hasOwnProperty.call(message, "status") && message.status !== 0)
                    writer.uint32(/* id 3, wireType 0 =*/24).int32(message.status);
                if (message.segments != null && $Object.hasOwnProperty.call(message, "segments") && message.segments !== 0)
                    writer.uint32(/* id 4, wireType 0 =*/32).uint32(message.segments);
                if (message.bytes != null && $Object.hasOwnProperty.call(message, "bytes") && (typeof message.bytes === "object" ? message.bytes.low || message.bytes.high : message.bytes !== 0))
                    writer.uint32(/* id 5, wireType 0 =*/40).uint64(message.bytes);
                if (message.durationMs != null && $Object.hasOwnProperty.call(message, "durationMs") && !$Object.is(message.durationMs, 0))
                    writer.uint32(/* id 6, wireType 1 =*/49).double(message.durationMs);
                if (message.bytesPerSec != null && $Object.hasOwnProperty.call(message, "bytesPerSec") && !$Object.is(message.bytesPerSec, 0))
                    writer.uint32(/* id 7, wireType 1 =*/57).double(message.bytesPerSec);
                if (message.backend != null && $Object.hasOwnProperty.call(message, "backend") && message.backend !== "")
                    writer.uint32(/* id 8, wireType 2 =*/66).string(message.backend);
                if (message.code != null && $Object.hasOwnProperty.call(message, "code") && message.code !== "")
                    writer.uint32(/* id 9, wireType 2 =*/74).string(message.code);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a TransferResult message from the specified reader or buffer.
             * @function decode
             * @memberof baton.v1.TransferResult
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {baton.v1.TransferResult & baton.v1.TransferResult.$Shape} TransferResult
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            TransferResult.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.baton.v1.TransferResult();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.transferId = value;
                            else
                                delete message.transferId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.workerId = value;
                            else
                                delete message.workerId;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.status = value;
                            else
                                delete message.status;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.segments = value;
                            else
                                delete message.segments;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.uint64()) === "object" ? value.low || value.high : value !== 0)
                                message.bytes = value;
                            else
                                delete message.bytes;
                            continue;
                        }
                    case 6: {
                            if (wireType !== 1)
                                break;
                            if (!$Object.is(value = reader.double(), 0))
                                message.durationMs = value;
                            else
                                delete message.durationMs;
                            continue;
                        }
                    case 7: {
                            if (wireType !== 1)
                                break;
                            if (!$Object.is(value = reader.double(), 0))
                                message.bytesPerSec = value;
                            else
                                delete message.bytesPerSec;
                            continue;
                        }
                    case 8: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.backend = value;
                            else
                                delete message.backend;
                            continue;
                        }
                    case 9: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.code = value;
                            else
                                delete message.code;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return TransferResult;
        })();

        v1.CancelPlan = (function() {

            /**
             * Properties of a CancelPlan.
             * @typedef {Object} baton.v1.CancelPlan.$Properties
             * @property {string|null} [planId] CancelPlan planId
             * @property {string|null} [reason] CancelPlan reason
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a CancelPlan.
             * @memberof baton.v1
             * @interface ICancelPlan
             * @augments baton.v1.CancelPlan.$Properties
             * @deprecated Use baton.v1.CancelPlan.$Properties instead.
             */

            /**
             * Shape of a CancelPlan.
             * @typedef {baton.v1.CancelPlan.$Properties} baton.v1.CancelPlan.$Shape
             */

            /**
             * Constructs a new CancelPlan.
             * @memberof baton.v1
             * @classdesc Represents a CancelPlan.
             * @constructor
             * @param {baton.v1.CancelPlan.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const CancelPlan = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * CancelPlan planId.
             * @member {string} planId
             * @memberof baton.v1.CancelPlan
             * @instance
             */
            CancelPlan.prototype.planId = "";

            /**
             * CancelPlan reason.
             * @member {string} reason
             * @memberof baton.v1.CancelPlan
             * @instance
             */
            CancelPlan.prototype.reason = "";

            /**
             * Creates a new CancelPlan instance using the specified properties.
             * @function create
             * @memberof baton.v1.CancelPlan
             * @static
             * @param {baton.v1.CancelPlan.$Properties=} [properties] Properties to set
             * @returns {baton.v1.CancelPlan} CancelPlan instance
             * @type {{
             *   (properties: baton.v1.CancelPlan.$Shape): baton.v1.CancelPlan & baton.v1.CancelPlan.$Shape;
             *   (properties?: baton.v1.CancelPlan.$Properties): baton.v1.CancelPlan;
             * }}
             */
            CancelPlan.create = function(properties) {
                return new CancelPlan(properties);
            };

            /**
             * Encodes the specified CancelPlan message. Does not implicitly {@link baton.v1.CancelPlan.verify|verify} messages.
             * @function encode
             * @memberof baton.v1.CancelPlan
             * @static
             * @param {baton.v1.CancelPlan.$Properties} message CancelPlan message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            CancelPlan.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.planId != null && $Object.hasOwnProperty.call(message, "planId") && message.planId !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.planId);
                if (message.reason != null && $Object.hasOwnProperty.call(message, "reason") && message.reason !== "")
                    writer.uint32(/* id 2, wireType 2 =*/18).string(message.reason);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a CancelPlan message from the specified reader or buffer.
             * @function decode
             * @memberof baton.v1.CancelPlan
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {baton.v1.CancelPlan & baton.v1.CancelPlan.$Shape} CancelPlan
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            CancelPlan.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.baton.v1.CancelPlan();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.planId = value;
                            else
                                delete message.planId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.reason = value;
                            else
                                delete message.reason;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return CancelPlan;
        })();

        v1.PullRequest = (function() {

            /**
             * Properties of a PullRequest.
             * @typedef {Object} baton.v1.PullRequest.$Properties
             * @property {string|null} [transferId] PullRequest transferId
             * @property {string|null} [planId] PullRequest planId
             * @property {Uint8Array|null} [keys] PullRequest keys
             * @property {boolean|null} [withTail] PullRequest withTail
             * @property {boolean|null} [wait] PullRequest wait
             * @property {string|null} [layout] PullRequest layout
             * @property {number|null} [timeoutMs] PullRequest timeoutMs
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a PullRequest.
             * @memberof baton.v1
             * @interface IPullRequest
             * @augments baton.v1.PullRequest.$Properties
             * @deprecated Use baton.v1.PullRequest.$Properties instead.
             */

            /**
             * Shape of a PullRequest.
             * @typedef {baton.v1.PullRequest.$Properties} baton.v1.PullRequest.$Shape
             */

            /**
             * Constructs a new PullRequest.
             * @memberof baton.v1
             * @classdesc Represents a PullRequest.
             * @constructor
             * @param {baton.v1.PullRequest.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const PullRequest = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * PullRequest transferId.
             * @member {string} transferId
             * @memberof baton.v1.PullRequest
             * @instance
             */
            PullRequest.prototype.transferId = "";

            /**
             * PullRequest planId.
             * @member {string} planId
             * @memberof baton.v1.PullRequest
             * @instance
             */
            PullRequest.prototype.planId = "";

            /**
             * PullRequest keys.
             * @member {Uint8Array} keys
             * @memberof baton.v1.PullRequest
             * @instance
             */
            PullRequest.prototype.keys = $util.newBuffer([]);

            /**
             * PullRequest withTail.
             * @member {boolean} withTail
             * @memberof baton.v1.PullRequest
             * @instance
             */
            PullRequest.prototype.withTail = false;

            /**
             * PullRequest wait.
             * @member {boolean} wait
             * @memberof baton.v1.PullRequest
             * @instance
             */
            PullRequest.prototype.wait = false;

            /**
             * PullRequest layout.
             * @member {string} layout
             * @memberof baton.v1.PullRequest
             * @instance
             */
            PullRequest.prototype.layout = "";

            /**
             * PullRequest timeoutMs.
             * @member {number} timeoutMs
             * @memberof baton.v1.PullRequest
             * @instance
             */
            PullRequest.prototype.timeoutMs = 0;

            /**
             * Creates a new PullRequest instance using the specified properties.
             * @function create
             * @memberof baton.v1.PullRequest
             * @static
             * @param {baton.v1.PullRequest.$Properties=} [properties] Properties to set
             * @returns {baton.v1.PullRequest} PullRequest instance
             * @type {{
             *   (properties: baton.v1.PullRequest.$Shape): baton.v1.PullRequest & baton.v1.PullRequest.$Shape;
             *   (properties?: baton.v1.PullRequest.$Properties): baton.v1.PullRequest;
             * }}
             */
            PullRequest.create = function(properties) {
                return new PullRequest(properties);
            };

            /**
             * Encodes the specified PullRequest message. Does not implicitly {@link baton.v1.PullRequest.verify|verify} messages.
             * @function encode
             * @memberof baton.v1.PullRequest
             * @static
             * @param {baton.v1.PullRequest.$Properties} message PullRequest message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            PullRequest.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.transferId != null && $Object.hasOwnProperty.call(message, "transferId") && message.transferId !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.transferId);
                if (message.planId != null && $Object.hasOwnProperty.call(message, "planId") && message.planId !== "")
                    writer.uint32(/* id 2, wireType 2 =*/18).string(message.planId);
                if (message.keys != null && $Object.hasOwnProperty.call(message, "keys") && message.keys.length)
                    writer.uint32(/* id 3, wireType 2 =*/26).bytes(message.keys);
                if (message.withTail != null && $Object.hasOwnProperty.call(message, "withTail") && message.withTail !== false)
                    writer.uint32(/* id 4, wireType 0 =*/32).bool(message.withTail);
                if (message.wait != null && $Object.hasOwnProperty.call(message, "wait") && message.wait !== false)
                    writer.uint32(/* id 5, wireType 0 =*/40).bool(message.wait);
                if (message.layout != null && $Object.hasOwnProperty.call(message, "layout") && message.layout !== "")
                    writer.uint32(/* id 6, wireType 2 =*/50).string(message.layout);
                if (message.timeoutMs != null && $Object.hasOwnProperty.call(message, "timeoutMs") && message.timeoutMs !== 0)
                    writer.uint32(/* id 7, wireType 0 =*/56).uint32(message.timeoutMs);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a PullRequest message from the specified reader or buffer.
             * @function decode
             * @memberof baton.v1.PullRequest
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {baton.v1.PullRequest & baton.v1.PullRequest.$Shape} PullRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            PullRequest.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.baton.v1.PullRequest();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.transferId = value;
                            else
                                delete message.transferId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.planId = value;
                            else
                                delete message.planId;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.keys = value;
                            else
                                delete message.keys;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.bool())
                                message.withTail = value;
                            else
                                delete message.withTail;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.bool())
                                message.wait = value;
                            else
                                delete message.wait;
                            continue;
                        }
                    case 6: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.layout = value;
                            else
                                delete message.layout;
                            continue;
                        }
                    case 7: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.timeoutMs = value;
                            else
                                delete message.timeoutMs;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return PullRequest;
        })();

        return v1;
    })();

    return baton;
})();

export {
  $root as default
};
