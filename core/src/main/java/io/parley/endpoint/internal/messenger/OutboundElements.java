package io.parley.endpoint.internal.messenger;

import io.netty.buffer.ByteBuf;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.FastThreadLocalThread;
import io.parley.encoding.EncodingPolicy;
import io.parley.encoding.EncodingScheme;
import io.parley.encoding.internal.ChannelPosition;
import io.parley.encoding.internal.ElementEncoder;
import io.parley.endpoint.ServiceAddress;
import io.parley.endpoint.internal.context.EndpointContext;
import io.parley.endpoint.internal.frame.Opened;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.message.Message;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Encodes the elements of the messages of one messenger, in the order of its queue. A message is encoded once for a channel and
 * keeps its encoded elements until it is acknowledged, because the receiver's state has advanced by each message that it has.
 *
 * <p>The caller of a send encodes, unless the channel is not open, or the caller is an event loop and the message is not a short one
 * ({@link EncodingScheme#maxEventLoopBytes}); then a task on the executor for decoding does. If no scheme keeps state, the caller
 * encodes before the message is queued. Otherwise it encodes the queued messages in their order; if one is taken out of the channel,
 * those behind it are encoded again, by schemes whose state begins again. Thread-safe.
 */
final class OutboundElements {

    /** The messenger whose elements are encoded. Its text form describes it. Thread-safe. */
    interface Owner {

        PeerId peer();

        ServiceAddress service();

        /** Returns the encoder of the open channel if it may be used on any thread; otherwise null. */
        @Nullable
        MessageEncoder statelessEncoder();

        /** Called when a task has encoded elements, so that messages may be sent. */
        void onElementsEncoded();

        /** Called when messages were removed from the queue and have failed, because their elements cannot be encoded. */
        void onElementsFailed();
    }

    /** The number of messages that a task encodes before other tasks of the executor have their turn. */
    private static final int BATCH = 64;

    /** The name under which all tasks together take turns with the decoding of messages from remote hosts. */
    private static final String EXECUTOR_KEY = "outbound elements";

    /** A message to encode. The result is discarded if the message or the encoder is another one by then. */
    private record Task(OutboundMessage message, long number, ElementEncoder encoder) {}

    private record Failure(OutboundMessage message, ParleyException cause) {}

    private final EncodingPolicy policy;

    /** The size of the largest message that an event loop encodes. */
    private final int maxEventLoopBytes;

    private final EndpointContext context;
    private final Owner messenger;
    private final OutboundQueue queue;

    /** The lock of the messenger. */
    private final ReentrantLock lock;

    /** Held while a message is encoded. Taken before the lock of the messenger. */
    private final ReentrantLock encodingLock = new ReentrantLock();

    private final AtomicBoolean scheduled = new AtomicBoolean();

    /** The schemes of the open channel, and its receiver. Guarded by the lock, as the following fields. */
    private List<EncodingScheme> chain = List.of();

    private PeerId receiver;

    /** Null until the receiver has selected schemes. Written with the lock. */
    private volatile @Nullable ElementEncoder encoder;

    /** The channel to which the encoder belongs. */
    private long channel;

    OutboundElements(
            EncodingPolicy policy, EndpointContext context, Owner messenger, OutboundQueue queue, ReentrantLock lock) {
        this.policy = policy;
        this.maxEventLoopBytes = policy.schemes().stream()
                .mapToInt(EncodingScheme::maxEventLoopBytes)
                .min()
                .orElse(0);
        this.context = context;
        this.messenger = messenger;
        this.queue = queue;
        this.lock = lock;
        this.receiver = messenger.peer();
    }

    /** Returns the names for an OPEN frame. Schemes with state need a channel whose messages are acknowledged. */
    List<String> offered(boolean acknowledged) {
        return policy.schemes().stream()
                .filter(scheme -> acknowledged || scheme.maxStateBytes() == 0)
                .map(EncodingScheme::name)
                .toList();
    }

    /**
     * Called when the channel is open, after the messages that the receiver lacks are queued again.
     *
     * @return the reason why messages must not be sent to this receiver, or null
     */
    @Nullable
    ParleyException onOpened(PeerId remote, Opened opened, boolean acknowledged) {
        List<String> offered = offered(acknowledged);
        List<EncodingScheme> chosen = policy.schemes().stream()
                .filter(scheme ->
                        offered.contains(scheme.name()) && opened.schemes().contains(scheme.name()))
                .toList();
        for (EncodingScheme scheme : policy.schemes()) {
            if (policy.requires(scheme) && !chosen.contains(scheme)) {
                return missing(scheme, remote, opened);
            }
        }
        lock.lock();
        try {
            boolean continued = encoder != null
                    && channel == queue.channel()
                    && remote.equals(receiver)
                    && chosen.equals(chain)
                    && (opened.stateKept() || ElementEncoder.isStateless(chosen));
            if (!continued) {
                queue.returnToPlain();
                chain = chosen;
                receiver = remote;
                channel = queue.channel();
                encoder = newEncoder();
            }
        } finally {
            lock.unlock();
        }
        schedule();
        return null;
    }

    private ParleyException missing(EncodingScheme scheme, PeerId remote, Opened opened) {
        return ErrorCode.NO_COMMON_CODEC.exception(messenger + ": encoding scheme " + scheme.name()
                + " is required, and peer " + remote.shortText() + " does not accept it (accepted: "
                + (opened.schemes().isEmpty()
                        ? "none"
                        : opened.schemes().stream().limit(8).toList())
                + "); add the scheme to the input pipe of that peer, or do not require it");
    }

    private ElementEncoder newEncoder() {
        ServiceAddress service = messenger.service();
        return new ElementEncoder(
                chain, new ChannelPosition(context.self(), receiver, service.service(), service.parameter()));
    }

    /**
     * Selects the elements to encode, on the thread of the sender, and encodes them if no state depends on the order of the messages.
     * Fails the message if that fails.
     */
    void prepare(OutboundMessage message) {
        try {
            message.setSelected(ElementEncoder.select(message.message(), policy::selects));
        } catch (RuntimeException e) {
            message.setSelected(new BitSet());
            message.fail(ErrorCode.NOT_ENCODABLE.exception(messenger + ": selector of elements failed: " + e, e));
            return;
        }
        ElementEncoder current = encoder;
        if (current != null && current.isStateless() && !current.isIdentity() && mayEncodeHere(message)) {
            encodeEarly(message, current);
        }
    }

    private boolean mayEncodeHere(OutboundMessage message) {
        return !isEventLoop() || message.payloadBytes() <= maxEventLoopBytes;
    }

    private static boolean isEventLoop() {
        return Thread.currentThread() instanceof FastThreadLocalThread;
    }

    private void encodeEarly(OutboundMessage message, ElementEncoder current) {
        try {
            MessageEncoder codec = codecFor(message);
            Message outgoing = encodeElements(message, current, 0, codec);
            message.setOutgoing(current, outgoing, codec, codec == null ? null : codec.encode(outgoing));
        } catch (ParleyException e) {
            message.fail(e);
        }
    }

    /** Returns what encodes a message on this thread; null if that is left to the link, which may not need a buffer for it. */
    private @Nullable MessageEncoder codecFor(OutboundMessage message) {
        return isEventLoop() && message.isAppendable() ? null : messenger.statelessEncoder();
    }

    /** Queues a message. The caller must hold the lock, and must call {@link #encode} after it has released the lock. */
    void enqueue(OutboundMessage message) {
        ElementEncoder current = encoder;
        boolean encoded = current != null && message.isEncodedBy(current);
        if (!encoded) {
            message.clearOutgoing();
        }
        boolean ready = encoded || (current != null && current.isIdentity());
        if (ready && channel == queue.channel() && !queue.hasPlain()) {
            queue.add(message);
        } else {
            message.clearOutgoing();
            queue.addPlain(message);
        }
    }

    /** Returns whether a message that has been encoded may not be taken out of the channel without {@link #restart}. */
    boolean isInOrder() {
        ElementEncoder current = encoder;
        return current != null && !current.isStateless();
    }

    /** Called when a message that was encoded is taken out of the channel. The caller must hold the lock. */
    void restart() {
        if (isInOrder()) {
            queue.returnToPlain();
            encoder = newEncoder();
        }
    }

    /** Called when all messages have failed. The channel is opened again before the next one. The caller must hold the lock. */
    void reset() {
        encoder = null;
    }

    /** Encodes a queued message and those before it on this thread if it may take that long, otherwise later. */
    void encode(OutboundMessage message) {
        if (message.isReady()) {
            return;
        }
        if (!isEventLoop()) {
            encodeNext(Integer.MAX_VALUE, message);
        } else if (!mayEncodeHere(message) || !encodeOnEventLoop(message)) {
            schedule();
        }
    }

    /** Encodes a queued message if no other one must be encoded before it. */
    private boolean encodeOnEventLoop(OutboundMessage message) {
        if (!encodingLock.tryLock()) {
            return false;
        }
        List<Failure> failures = new ArrayList<>(0);
        try {
            Task task = nextTask();
            if (task == null || task.message != message) {
                return false;
            }
            encode(task, codecFor(message), failures);
        } finally {
            encodingLock.unlock();
        }
        report(failures);
        return true;
    }

    /** Encodes the queued messages on another thread. */
    void schedule() {
        if (nextTask() == null || !scheduled.compareAndSet(false, true)) {
            return;
        }
        boolean accepted = false;
        try {
            context.decoding().execute(EXECUTOR_KEY, this::run);
            accepted = true;
        } catch (RejectedExecutionException ignored) {
            // The endpoint is closed.
        } finally {
            if (!accepted) { // also after an error, such as the lack of memory for a thread
                scheduled.set(false);
            }
        }
    }

    private void run() {
        scheduled.set(false);
        encodeNext(BATCH, null);
        messenger.onElementsEncoded();
        schedule();
    }

    /** Encodes the next messages: until there are no more, until the last one is ready or has failed, or the maximum. */
    private void encodeNext(int max, @Nullable OutboundMessage last) {
        List<Failure> failures = new ArrayList<>(0);
        boolean lastFailed = false;
        encodingLock.lock();
        try {
            for (int i = 0; i < max && !lastFailed && (last == null || !last.isReady()); i++) {
                Task task = nextTask();
                if (task == null) {
                    break; // there is none, or the channel is not open
                }
                int failed = failures.size();
                encode(task, messenger.statelessEncoder(), failures);
                lastFailed = task.message == last && failures.size() > failed;
            }
        } finally {
            encodingLock.unlock();
        }
        report(failures);
        if (lastFailed) {
            schedule(); // those behind it, whose senders may have left them to this thread
        }
    }

    private void report(List<Failure> failures) {
        if (!failures.isEmpty()) { // without the lock, because callbacks may do anything
            failures.forEach(failed -> failed.message.fail(failed.cause));
            messenger.onElementsFailed();
        }
    }

    /** @param codec encodes the message too; null to leave that to the link */
    private void encode(Task task, @Nullable MessageEncoder codec, List<Failure> failures) {
        Message outgoing = Message.EMPTY;
        ByteBuf bytes = null;
        ParleyException failure = null;
        try {
            outgoing = encodeElements(task.message, task.encoder, task.number, codec);
            bytes = codec == null ? null : codec.encode(outgoing);
        } catch (ParleyException e) {
            failure = e;
        } catch (RuntimeException | Error e) { // an error too: the message would stop those behind it
            failure = failure(e);
        }
        boolean removed = complete(task, outgoing, codec, bytes, failure);
        if (removed && failure != null) {
            failures.add(new Failure(task.message, failure));
        }
    }

    /** @throws ParleyException if the elements cannot be encoded, or the message is too long for the receiver */
    private Message encodeElements(
            OutboundMessage message, ElementEncoder current, long number, @Nullable MessageEncoder codec) {
        if (codec != null) {
            codec.checkSize(message.message());
        }
        try {
            return current.encode(message.message(), message.selected(), number);
        } catch (ParleyException e) {
            throw e;
        } catch (RuntimeException | Error e) { // of a faulty scheme
            throw failure(e);
        }
    }

    private ParleyException failure(Throwable thrown) {
        return ErrorCode.NOT_ENCODABLE.exception(messenger + ": encoding of elements failed: " + thrown, thrown);
    }

    private @Nullable Task nextTask() {
        lock.lock();
        try {
            OutboundMessage next = queue.firstPlain();
            ElementEncoder current = encoder;
            return next == null || current == null || channel != queue.channel()
                    ? null
                    : new Task(next, queue.nextNumber(), current);
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether the message was removed because it has failed. */
    private boolean complete(
            Task task,
            Message outgoing,
            @Nullable MessageEncoder codec,
            @Nullable ByteBuf bytes,
            @Nullable ParleyException failure) {
        boolean removed = false;
        lock.lock();
        try {
            boolean current = encoder == task.encoder && channel == queue.channel();
            boolean taken = queue.firstPlain() != task.message;
            if (current && !taken && failure == null) {
                task.message.setOutgoing(task.encoder, outgoing, codec, bytes);
                bytes = null;
                queue.moveToWaiting(task.message);
            } else if (current) { // the state includes a message that the receiver does not get
                if (!task.encoder.isStateless()) {
                    encoder = newEncoder();
                }
                removed = !taken && queue.remove(task.message);
            }
        } finally {
            lock.unlock();
        }
        ReferenceCountUtil.release(bytes);
        return removed;
    }
}
