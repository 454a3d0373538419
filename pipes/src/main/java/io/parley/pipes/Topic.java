package io.parley.pipes;

import io.parley.common.internal.Arguments;
import io.parley.error.ErrorCode;
import io.parley.group.PeerGroup;
import io.parley.id.PipeId;
import io.parley.pipes.internal.PipeOptions;
import io.parley.pipes.internal.topic.DirectFanOut;
import io.parley.pipes.internal.topic.FanOutPublisher;
import io.parley.pipes.internal.topic.OpenSubscription;
import io.parley.pipes.internal.topic.TopicNames;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * A topic of a group, JXTA's propagate pipe: each message of a publisher goes to all peers that have subscribed. Instances hold no
 * resources. Thread-safe.
 *
 * <pre>{@code
 * Topic prices = Pipes.of(group).topic("prices");
 * TopicSubscription in = prices.subscribe(SubscriptionOptions.newestOnly(), message -> show(message));
 * TopicPublisher out = prices.openPublisher();
 * out.send(Message.of("price", "42"));
 * }</pre>
 *
 * <p>Publishers and subscribers find each other in the group, whichever opens first. A peer may have one publisher and one subscription
 * of a topic open at a time. Publishers and subscribers of a {@linkplain Pipes#secure secure} topic have nothing to do with others of the same
 * name.
 */
public final class Topic {

    /** The number of receivers of a publisher, unless {@link #withMaxReceivers} sets another one. */
    public static final int DEFAULT_MAX_RECEIVERS = 1024;

    private static final Duration DEFAULT_BLOCK_TIMEOUT = Duration.ofSeconds(10);
    private static final int MOST_RECEIVERS = 100_000;

    private final PeerGroup group;
    private final TopicNames names;
    private final PipeOptions options;
    private final int maxReceivers;
    private final Duration blockTimeout;

    private Topic(PeerGroup group, TopicNames names, PipeOptions options, int maxReceivers, Duration blockTimeout) {
        this.group = group;
        this.names = names;
        this.options = options;
        this.maxReceivers = maxReceivers;
        this.blockTimeout = blockTimeout;
    }

    /** @param options of which only the codecs, the security and the flow limits apply */
    static Topic of(PeerGroup group, String name, PipeOptions options) {
        return new Topic(
                group,
                TopicNames.of(group.id(), name, options.security()),
                options,
                DEFAULT_MAX_RECEIVERS,
                DEFAULT_BLOCK_TIMEOUT);
    }

    /** Returns the name of the topic. */
    public String name() {
        return names.name();
    }

    /** Returns the id of the propagate pipe. It is the same at every peer, and differs from that of the unicast pipe with the name. */
    public PipeId id() {
        return names.pipe();
    }

    /**
     * Returns the same topic, whose publishers have at most that number of receivers. Others are refused. If it is nearly reached, each
     * host gets an equal share.
     *
     * @throws IllegalArgumentException unless 1 to 100,000
     */
    public Topic withMaxReceivers(int value) {
        Arguments.requireRange("maxReceivers", value, 1, MOST_RECEIVERS);
        return new Topic(group, names, options, value, blockTimeout);
    }

    /**
     * Returns the same topic, whose publishers remove a receiver that has subscribed with {@link SubscriptionOptions.Overflow#BLOCK} and
     * stops them for longer than that. The default is 10 s.
     *
     * @throws IllegalArgumentException unless above zero and at most {@link io.parley.endpoint.EndpointLimits#MAX_TIMEOUT}
     */
    public Topic withBlockTimeout(Duration value) {
        Arguments.requireTimeout("blockTimeout", value);
        return new Topic(group, names, options, maxReceivers, value);
    }

    /**
     * Opens a publisher, and publishes that in the group until it is closed.
     *
     * @throws io.parley.error.InvalidCallException {@link ErrorCode#ALREADY_BOUND} if this peer has a publisher of the topic open;
     *     {@link ErrorCode#NO_COMMON_CODEC} if this peer lacks one of the codecs of {@link Pipes#withCodecs}
     */
    public TopicPublisher openPublisher() {
        options.requireCodecs(group.endpoint());
        return FanOutPublisher.open(group, names, options, maxReceivers, blockTimeout, new DirectFanOut());
    }

    /**
     * Opens a subscription, which is read with {@link TopicSubscription#receive}. Publishes it in the group until it is closed.
     *
     * @throws io.parley.error.InvalidCallException {@link ErrorCode#ALREADY_BOUND} if this peer has a subscription to the topic open
     */
    public TopicSubscription subscribe(SubscriptionOptions options) {
        return OpenSubscription.open(group, names, this.options.flow(), options, null, Runnable::run);
    }

    /** Opens a subscription with {@link SubscriptionOptions#DEFAULTS} and a listener, which runs on the callback executor. */
    public TopicSubscription subscribe(Consumer<PipeMessage> listener) {
        return subscribe(SubscriptionOptions.DEFAULTS, listener);
    }

    /** Opens a subscription with a listener, which runs on the callback executor. */
    public TopicSubscription subscribe(SubscriptionOptions options, Consumer<PipeMessage> listener) {
        return subscribe(options, listener, group.callbackExecutor());
    }

    /**
     * Opens a subscription with a listener. Publishes it in the group until it is closed. The listener is called for one message at a
     * time and may block. If it throws, the exception is logged and counted, and the next message is delivered.
     *
     * @param executor runs the listener. With a direct executor ({@code Runnable::run}) the listener runs on event loops, and must not
     *     block
     * @throws io.parley.error.InvalidCallException {@link ErrorCode#ALREADY_BOUND} if this peer has a subscription to the topic open
     */
    public TopicSubscription subscribe(SubscriptionOptions options, Consumer<PipeMessage> listener, Executor executor) {
        return OpenSubscription.open(group, names, this.options.flow(), options, listener, executor);
    }

    @Override
    public String toString() {
        return names.toString();
    }
}
