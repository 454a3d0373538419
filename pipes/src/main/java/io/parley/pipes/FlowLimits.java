package io.parley.pipes;

import io.parley.common.internal.Arguments;
import io.parley.endpoint.EndpointLimits;

/**
 * The window, the queue and the rate of pipes, see {@link Pipes#withFlowLimits}. Zero: the default, which is the limit of the
 * endpoint, and no limit of the rate.
 *
 * <pre>{@code
 * FlowLimits limits = FlowLimits.builder().queueMessages(100).messagesPerSecond(50).build();
 * OutputPipe out = Pipes.of(group).withFlowLimits(limits).connect("forecast", Duration.ofSeconds(5));
 * }</pre>
 *
 * <p>A rate permits bursts: what was not used in the last two seconds. A message that is larger than the bytes of two seconds is sent
 * when these are there, and those behind it wait for the rest.
 *
 * @param windowBytes       the maximum number of bytes that one sender may have outstanding at an input pipe: sent, and not received by
 *     the application. Default: {@link EndpointLimits#windowBytes}; at most {@link EndpointLimits#peerMemoryBytes}
 * @param queueBytes        the bytes from which the queue of an output pipe is full. Default: {@link EndpointLimits#queueBytes}
 * @param queueMessages     the number of messages from which it is full. Default: bounded by the bytes, of which a message uses at least 256
 * @param messagesPerSecond the messages that an output pipe sends per second. Default: any number
 * @param bytesPerSecond    the payload bytes that an output pipe sends per second. Default: any number
 */
public record FlowLimits(
        int windowBytes, int queueBytes, int queueMessages, int messagesPerSecond, long bytesPerSecond) {

    /** The defaults. */
    public static final FlowLimits DEFAULTS = new FlowLimits(0, 0, 0, 0, 0);

    /** @throws IllegalArgumentException with the name of the limit, its value and its range, unless it is zero */
    public FlowLimits {
        requireDefaultOrAtLeast("windowBytes", windowBytes, EndpointLimits.MIN_WINDOW_BYTES);
        requireDefaultOrAtLeast("queueBytes", queueBytes, 1);
        requireDefaultOrAtLeast("queueMessages", queueMessages, 1);
        requireDefaultOrAtLeast("messagesPerSecond", messagesPerSecond, 1);
        requireDefaultOrAtLeast("bytesPerSecond", bytesPerSecond, 1);
    }

    private static void requireDefaultOrAtLeast(String name, long value, long min) {
        if (value != 0) {
            Arguments.requireAtLeast(name, value, min);
        }
    }

    /** Returns a builder with the defaults. */
    public static Builder builder() {
        return DEFAULTS.toBuilder();
    }

    /** Returns a builder with these values. */
    public Builder toBuilder() {
        return new Builder(this);
    }

    /** Builds {@link FlowLimits}. A limit that is not set keeps its value. Not thread-safe. */
    public static final class Builder {

        private int windowBytes;
        private int queueBytes;
        private int queueMessages;
        private int messagesPerSecond;
        private long bytesPerSecond;

        private Builder(FlowLimits values) {
            this.windowBytes = values.windowBytes;
            this.queueBytes = values.queueBytes;
            this.queueMessages = values.queueMessages;
            this.messagesPerSecond = values.messagesPerSecond;
            this.bytesPerSecond = values.bytesPerSecond;
        }

        /** @throws IllegalArgumentException if less than {@link EndpointLimits#MIN_WINDOW_BYTES} */
        public Builder windowBytes(int value) {
            Arguments.requireAtLeast("windowBytes", value, EndpointLimits.MIN_WINDOW_BYTES);
            windowBytes = value;
            return this;
        }

        /** @throws IllegalArgumentException if less than 1 */
        public Builder queueBytes(int value) {
            Arguments.requireAtLeast("queueBytes", value, 1);
            queueBytes = value;
            return this;
        }

        /** @throws IllegalArgumentException if less than 1 */
        public Builder queueMessages(int value) {
            Arguments.requireAtLeast("queueMessages", value, 1);
            queueMessages = value;
            return this;
        }

        /** @throws IllegalArgumentException if less than 1 */
        public Builder messagesPerSecond(int value) {
            Arguments.requireAtLeast("messagesPerSecond", value, 1);
            messagesPerSecond = value;
            return this;
        }

        /** @throws IllegalArgumentException if less than 1 */
        public Builder bytesPerSecond(long value) {
            Arguments.requireAtLeast("bytesPerSecond", value, 1);
            bytesPerSecond = value;
            return this;
        }

        public FlowLimits build() {
            return new FlowLimits(windowBytes, queueBytes, queueMessages, messagesPerSecond, bytesPerSecond);
        }
    }
}
