package io.parley.pipes;

import io.parley.Peer;
import io.parley.advertisement.PipeType;
import io.parley.common.internal.Arguments;
import io.parley.encoding.EncodingPolicy;
import io.parley.encoding.EncodingScheme;
import io.parley.endpoint.Endpoint;
import io.parley.endpoint.EndpointLimits;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.group.PeerGroup;
import io.parley.id.PeerId;
import io.parley.id.PipeId;
import io.parley.message.Message;
import io.parley.pipes.internal.BlockingCalls;
import io.parley.pipes.internal.DeliveryMode;
import io.parley.pipes.internal.PipeEncoding;
import io.parley.pipes.internal.PipeFlow;
import io.parley.pipes.internal.PipeOptions;
import io.parley.pipes.internal.PipeSecurity;
import io.parley.pipes.internal.request.PipeRequests;
import io.parley.pipes.internal.request.ServiceRequesters;
import io.parley.pipes.internal.unicast.InputPipeFactory;
import io.parley.pipes.internal.unicast.PipeConnector;
import io.parley.pipes.internal.work.WorkQueueOptions;
import io.parley.transport.PeerAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Opens input pipes and connects output pipes in a group. Instances hold no resources. Thread-safe.
 *
 * <pre>{@code
 * InputPipe in = Pipes.of(group).listen("forecast", message -> reply(message));
 * OutputPipe out = Pipes.of(group).connect("forecast", Duration.ofSeconds(5));
 * out.send(Message.of("text", "Will it rain?"));
 * }</pre>
 *
 * <p>An input pipe that is opened by its name is published in the group, so that members can find its holder. One that is opened
 * by its id is not published: a sender needs its ticket.
 *
 * <p>Blocking methods have an asynchronous form: see the {@linkplain io.parley.pipes package}.
 */
public final class Pipes {

    private final PeerGroup group;
    private final PipeOptions options;
    private final InputPipeFactory inputPipes;
    private final PipeConnector connector;

    private Pipes(PeerGroup group, PipeOptions options) {
        this.group = group;
        this.options = options;
        this.inputPipes = new InputPipeFactory(group, options);
        this.connector = new PipeConnector(group, options);
    }

    /** Returns the pipes of a group. */
    public static Pipes of(PeerGroup group) {
        return new Pipes(group, PipeOptions.DEFAULTS);
    }

    /** Returns the pipes of the net group, which every peer joins. */
    public static Pipes of(Peer peer) {
        return of(peer.netGroup());
    }

    /**
     * Returns the same pipes with other message codecs: output pipes use the first of these that the holder has too, instead of
     * the codec that both peers have selected for their connection.
     *
     * @param names in order of preference; none: the codec of the connection. Connecting fails with
     *     {@link ErrorCode#NO_COMMON_CODEC} if this peer lacks one of them, or a given holder lacks all. A holder that is found by
     *     a search and lacks all is skipped
     */
    public Pipes withCodecs(String... names) {
        return new Pipes(group, options.withCodecs(List.of(names)));
    }

    /**
     * Returns the same pipes, whose output pipes send unacknowledged messages of a lost holder to the next one, instead of failing
     * them with {@link ErrorCode#LOST}. Such a message arrives at least once: the lost holder may have received it too. Messages
     * after which the holder drops the connection still fail, because they may be the reason. Has no effect on a pipe that is
     * connected to a given holder. Replaces {@link #withDropOldest} and {@link #withDropNewest}.
     */
    public Pipes withResending() {
        return new Pipes(group, options.withDelivery(DeliveryMode.RESENDING));
    }

    /**
     * Returns the same pipes, whose output pipes deliver with best effort, for messages that are worth little when they are late,
     * such as positions or samples. A message arrives at most once: it is not sent again if the connection is lost, and it counts
     * as sent when it is handed to the network. A full queue does not stop the sender but drops its oldest messages for a new one;
     * the futures of dropped messages fail with {@link ErrorCode#QUEUE_FULL}, and {@link OutputPipe#droppedMessages} counts them.
     * Replaces {@link #withResending} and {@link #withDropNewest}.
     */
    public Pipes withDropOldest() {
        return new Pipes(group, options.withDelivery(DeliveryMode.DROP_OLDEST));
    }

    /** Returns the same pipes as {@link #withDropOldest}, but a full queue drops the new message. */
    public Pipes withDropNewest() {
        return new Pipes(group, options.withDelivery(DeliveryMode.DROP_NEWEST));
    }

    /**
     * Returns the same pipes, whose output pipes encode elements: compress them, encrypt them, or send them in another form. The holder
     * of the pipe decodes them; its listener sees the original message. Elements that the policy does not select are sent as they are.
     * Messages and requests of an {@link OutputPipe} and tasks of a {@linkplain #workQueue work queue} are encoded. Responses, bidirectional
     * pipes, topics and {@link #requestAsync} are not: {@link #bidirectional()}, {@link #topic}, {@link #requestAsync} and the requests of
     * {@link #services()} throw IllegalStateException if the policy or one of its schemes (encryption) requires that elements are encoded.
     *
     * <p>A scheme that the holder lacks is left out, unless the policy or the scheme (encryption) requires it: then connecting and
     * sending fail with {@link ErrorCode#NO_COMMON_CODEC}, and a holder that is found by a search is skipped. Connecting a pipe with
     * best effort fails with IllegalArgumentException if a scheme keeps state.
     */
    public Pipes withEncoding(EncodingPolicy policy) {
        return withEncoding(options.encoding().withPolicy(policy));
    }

    /**
     * Returns the same pipes, whose input pipes decode elements by these schemes in addition to those that are installed on the class
     * path. A scheme that needs keys must be passed here. The pipe of a service ({@link #serve(String, RequestHandler)}) and a zero-copy
     * pipe ({@link #listenZeroCopy}) decode on the event loop of the sender's connection, which costly elements delay, and therefore by
     * these schemes only.
     *
     * @throws IllegalArgumentException if two schemes have the same name, or a name is not valid
     */
    public Pipes withDecoding(EncodingScheme... schemes) {
        return withEncoding(options.encoding().withSchemes(List.of(schemes)));
    }

    /**
     * Returns the same pipes, whose input pipes accept no encoded elements. Senders send their elements as they are, or fail if they
     * require a scheme.
     */
    public Pipes withoutDecoding() {
        return withEncoding(options.encoding().withoutSchemes());
    }

    private Pipes withEncoding(PipeEncoding encoding) {
        return new Pipes(group, options.withEncoding(encoding));
    }

    /**
     * Returns the same pipes, whose input pipes report the begin and the end of their senders. The listener is called in order with the
     * messages of a sender and for one event at a time: on the executor of the pipe's listener or, for a pipe that is read with
     * {@link InputPipe#receive}, on the callback executor after the messages before the event are taken. A listener of a zero-copy pipe
     * is called on event loops and must not block.
     */
    public Pipes withSenderListener(SenderListener listener) {
        return new Pipes(group, options.withSenders(listener));
    }

    /**
     * Returns the same pipes, which are secure, JXTA's type {@code JxtaUnicastSecure}. The two ends of a secure pipe are authenticated to
     * each other, and no other program can read, change, repeat, reorder or leave out what is sent, whatever carries it, and who has
     * recorded it cannot read it later. On a connection with TLS, the default, a secure pipe costs nothing. On another one, TLS 1.3 runs
     * between the two peers.
     *
     * <p>A secure input pipe accepts secure output pipes only, and a secure output pipe connects to secure input pipes only: otherwise
     * connecting fails with {@link ErrorCode#SECURITY_MISMATCH}. An output pipe that finds its holder by an advertisement of a
     * secure pipe is secure too, also without this method. A pipe that is secure stays so when its holder changes. Every member of a
     * group may hold a pipe: {@link OutputPipe#holder} is the authenticated one, and {@link PipeMessage#from} the authenticated sender.
     *
     * <p>The response to a request through a secure pipe is as secure as the request. {@link #serve(String, RequestHandler)} and
     * {@link #requestAsync} of secure pipes, {@link #bidirectional}, {@link #workQueue} and {@link #topic} are secure in all directions,
     * with all that they send besides messages. Both ends must be: ends that find each other by name and differ in this do not use each
     * other.
     */
    public Pipes secure() {
        return new Pipes(group, options.withSecurity(PipeSecurity.SECURE));
    }

    /**
     * Returns the same pipes with a window, a queue and a rate of their own. A sender that is faster than the rate is stopped as by a slow
     * receiver: its messages wait in the queue, and a full queue makes it wait, or fails its message with {@link ErrorCode#QUEUE_FULL} or
     * after its timeout. A rate drops no message: only a pipe with {@link #withDropOldest} or {@link #withDropNewest} does when its queue
     * is full, and counts that. {@code parley.endpoint.rate.waits} counts how often a sender waited for its rate.
     *
     * <ul>
     *   <li>An output pipe and an end of a {@linkplain #bidirectional bidirectional pipe} have the queue and the rate for themselves. A
     *       message that is sent again is not counted again. Closing sends the queued messages at the rate, for the close timeout of the
     *       limits at most.
     *   <li>An input pipe, an end of a bidirectional pipe, a service and a worker of a {@linkplain #workQueue work queue} have the window,
     *       for each sender. The window of a new sender begins with {@link io.parley.endpoint.EndpointLimits#MIN_WINDOW_BYTES} and grows
     *       to it.
     *   <li>Requests by name with equal limits share the rate, whatever holders they go to; each holder has a queue. A request whose
     *       timeout passes in the queue is not executed. Responses have neither queue nor rate of these limits.
     *   <li>A publisher of a {@linkplain #topic topic} has the rate before all its queues, one for each receiver. A subscriber selects the
     *       bounds of its queue, and the lower ones apply. A subscription has the window for each publisher; one that drops messages
     *       should have a small one.
     *   <li>A sender of a work queue has the rate for its attempts to all workers. Its queue is {@link WorkQueue#withCapacity}.
     * </ul>
     *
     * @throws IllegalArgumentException if the window is more than {@link io.parley.endpoint.EndpointLimits#peerMemoryBytes} of this peer
     */
    public Pipes withFlowLimits(FlowLimits limits) {
        if (limits.windowBytes() != 0) {
            Arguments.requireRange(
                    "windowBytes",
                    limits.windowBytes(),
                    EndpointLimits.MIN_WINDOW_BYTES,
                    endpoint().limits().peerMemoryBytes());
        }
        return new Pipes(group, options.withFlow(PipeFlow.of(limits)));
    }

    /**
     * Returns the bidirectional pipes of the same group, with the same codecs and {@link #withFlowLimits limits}, which are secure if
     * these pipes are.
     *
     * @throws IllegalStateException if the policy of {@link #withEncoding} requires a scheme
     */
    public BidirectionalPipes bidirectional() {
        options.requireNoEncoding(
                "bidirectional pipes", "use Pipes without withEncoding, or one output pipe for each direction");
        return BidirectionalPipes.of(group, options);
    }

    /**
     * Returns the topic of that name in the group, JXTA's propagate pipe: from one publisher to all peers that have subscribed. It is
     * secure if these pipes are. Of the options of these pipes, {@link #withCodecs} and {@link #withFlowLimits} apply, too.
     *
     * @throws IllegalStateException if the policy of {@link #withEncoding} requires a scheme
     */
    public Topic topic(String name) {
        options.requireNoEncoding(
                "topic " + name, "use Pipes without withEncoding, or an output pipe for each receiver");
        return Topic.of(group, name, options);
    }

    /** Returns the id of the pipe of that name in the group. It is the same at every peer. */
    public PipeId pipeId(String name) {
        return PipeId.ofName(group.id(), name);
    }

    /**
     * Opens the input pipe of that name, which is read with {@link InputPipe#receive}. Publishes it until it is closed.
     *
     * @throws io.parley.error.InvalidCallException {@link ErrorCode#ALREADY_BOUND} if this peer has the pipe open
     */
    public InputPipe open(String name) {
        return inputPipes.publish(inputPipes.open(pipeId(name)), name);
    }

    /**
     * Opens an input pipe, which is read with {@link InputPipe#receive}. Does not publish it.
     *
     * @throws io.parley.error.InvalidCallException {@link ErrorCode#ALREADY_BOUND} if this peer has the pipe open
     */
    public InputPipe open(PipeId id) {
        return inputPipes.open(id);
    }

    /**
     * Opens the input pipe of that name with a listener, which runs on the callback executor. Publishes the pipe until it is
     * closed.
     *
     * @throws io.parley.error.InvalidCallException {@link ErrorCode#ALREADY_BOUND} if this peer has the pipe open
     */
    public InputPipe listen(String name, Consumer<PipeMessage> listener) {
        return listen(name, listener, group.callbackExecutor());
    }

    /**
     * Opens the input pipe of that name with a listener. Publishes the pipe until it is closed. See
     * {@link #listen(PipeId, Consumer, Executor)}.
     *
     * @throws io.parley.error.InvalidCallException {@link ErrorCode#ALREADY_BOUND} if this peer has the pipe open
     */
    public InputPipe listen(String name, Consumer<PipeMessage> listener, Executor executor) {
        return inputPipes.publish(inputPipes.listen(pipeId(name), listener, executor), name);
    }

    /** Opens an input pipe with a listener, which runs on the callback executor. Does not publish the pipe. */
    public InputPipe listen(PipeId id, Consumer<PipeMessage> listener) {
        return listen(id, listener, group.callbackExecutor());
    }

    /**
     * Opens an input pipe with a listener. Does not publish the pipe. The listener is called for one message at a time and may
     * block: senders stop when their windows are used up. If it throws, the exception is logged and counted, and the next
     * message is delivered.
     *
     * @param executor decodes elements and runs the listener. With a direct executor ({@code Runnable::run}) both run on the event
     *     loop of the sender's connection, which is the fastest way. The listener must not block then, and messages of different
     *     senders may be delivered concurrently. Any sender can encode elements by an installed scheme, and costly ones delay the event
     *     loop: see {@link #withoutDecoding}
     * @throws io.parley.error.InvalidCallException {@link ErrorCode#ALREADY_BOUND} if this peer has the pipe open
     */
    public InputPipe listen(PipeId id, Consumer<PipeMessage> listener, Executor executor) {
        return inputPipes.listen(id, listener, executor);
    }

    /**
     * Opens an input pipe whose listener borrows messages. This is the fastest way for a listener that has finished with a
     * message when it returns, for example because it has written the message to a file or a socket. If the codec of the
     * message permits it (the binary codec does), payloads are not copied from the memory into which the network has read them.
     *
     * <pre>{@code
     * Pipes.of(peer).listenZeroCopy(id, received -> {
     *     for (ByteBuffer part : received.message().elements().get(0).payload().asByteBuffers()) {
     *         digest.update(part);
     *     }
     * });
     * }</pre>
     *
     * <p>The message is valid until the listener returns or throws; {@link io.parley.message.Payload} describes its state after
     * that. The listener must copy the parts that it needs longer, for example with
     * {@link io.parley.message.MessageElement#toByteArray}, {@code text} or {@code bytes}. The same applies to a message that it
     * sends on.
     *
     * <p>The listener runs on the event loop of the sender's connection and must not block, because it delays that connection.
     * Elements are decoded there too, and therefore only by the schemes that are passed to {@link #withDecoding}. Messages of one
     * sender are delivered one at a time, those of different senders may be delivered concurrently.
     *
     * @throws io.parley.error.InvalidCallException {@link ErrorCode#ALREADY_BOUND} if this peer has the pipe open
     */
    public InputPipe listenZeroCopy(PipeId id, Consumer<PipeMessage> listener) {
        return inputPipes.listenZeroCopy(id, listener);
    }

    /**
     * Offers a service: opens the input pipe of that name, with a handler that responds to requests. Publishes the pipe until it is
     * closed. The handler runs on the callback executor, for several requests at a time: at most 64, and not more than the executor
     * has threads. Other requests wait. If too many wait, they fail with {@link ErrorCode#BUSY} at their requesters, which use another
     * holder if there is one. A request whose timeout passes while it waits is not executed. Closing the pipe lets running handlers
     * respond; requests that wait go to other holders.
     *
     * @throws io.parley.error.InvalidCallException {@link ErrorCode#ALREADY_BOUND} if this peer has the pipe open
     */
    public InputPipe serve(String name, RequestHandler handler) {
        return serve(name, handler, group.callbackExecutor());
    }

    /**
     * Offers a service as {@link #serve(String, RequestHandler)} does.
     *
     * @param executor runs the handler. With a direct executor ({@code Runnable::run}) the handler runs on the event loop of the
     *     requester's connection, which is the fastest way, and must not block
     */
    public InputPipe serve(String name, RequestHandler handler, Executor executor) {
        return inputPipes.publish(inputPipes.serve(pipeId(name), handler, executor), name);
    }

    /** Offers a service as {@link #serve(String, RequestHandler, Executor)} does. Does not publish the pipe. */
    public InputPipe serve(PipeId id, RequestHandler handler, Executor executor) {
        return inputPipes.serve(id, handler, executor);
    }

    /**
     * Returns the work queue of that name in the group, which is secure if these pipes are. Of the options of these pipes,
     * {@link #withCodecs}, {@link #withEncoding}, {@link #withDecoding} and {@link #withFlowLimits} apply, too.
     */
    public WorkQueue workQueue(String name) {
        return new WorkQueue(group, name, options, WorkQueueOptions.DEFAULTS);
    }

    /** Returns the directory of services in the group, which finds them by their names, classes and specifications. */
    public ServiceDirectory services() {
        return new ServiceDirectory(group, this);
    }

    /** Returns the type of the pipes of services that these pipes open and request. */
    PipeType serviceType() {
        return options.security().unicastType();
    }

    /** Returns what opens the input pipes. */
    InputPipeFactory inputPipes() {
        return inputPipes;
    }

    /**
     * Sends a request to a service of the group, and returns immediately. The holders of the service are found by its name and used
     * until the group is left, or the service was not requested for five minutes: up to eight holders share the requests, and each
     * request goes to the one with the fewest pending requests. Requests wait while no holder is known. If a holder is lost, requests
     * that it has not received go to another one; those that it may have executed fail with {@link ErrorCode#LOST}, or go to another
     * one with {@link #withResending()}. Up to 64 services may be requested at the same time.
     *
     * @param timeout maximum time to wait for the response, including the search for a holder; above zero
     * @return a future as that of {@link OutputPipe#requestAsync}. It fails with {@link ErrorCode#UNREACHABLE} if no holder was found
     *     within the timeout; the message states the peers that were queried and the failures. It fails with
     *     {@link ErrorCode#SECURITY_MISMATCH} instead if these pipes are {@linkplain #secure secure} and the holders that were found are
     *     not, or the other way around. Cancelling it ends the request
     * @throws io.parley.error.InvalidCallException {@link ErrorCode#NO_COMMON_CODEC} if this peer lacks one of the codecs
     * @throws IllegalStateException if the policy of {@link #withEncoding} requires a scheme
     */
    public CompletableFuture<PipeMessage> requestAsync(String name, Message message, Duration timeout) {
        return requestAsync(name, null, message, timeout);
    }

    /** Sends a request to a service by its name, or by its pipe with the text of its id as its name. */
    CompletableFuture<PipeMessage> requestAsync(String name, @Nullable PipeId id, Message message, Duration timeout) {
        options.requireNoEncoding(
                "request to service " + name, "use Pipes without withEncoding, or OutputPipe.request, which encodes");
        options.requireCodecs(endpoint());
        Arguments.requireTimeout("timeout", timeout);
        try {
            return PipeRequests.of(group)
                    .client(options.security())
                    .services()
                    .request(
                            new ServiceRequesters.Key(
                                    name,
                                    id,
                                    options.codecs(),
                                    options.isResending(),
                                    options.flow().limits()),
                            message,
                            timeout);
        } catch (ParleyException e) { // because the group is closed, or too many services are in use
            return CompletableFuture.failedFuture(e);
        }
    }

    /**
     * Sends a request to a service of the group and waits for the response: the blocking form of {@link #requestAsync}.
     *
     * @throws ParleyException as {@link #requestAsync} fails
     * @throws InterruptedException if the thread is interrupted; the response is ignored then
     * @throws IllegalStateException on an event loop, which must not block; if the policy of {@link #withEncoding} requires a scheme
     */
    public PipeMessage request(String name, Message message, Duration timeout) throws InterruptedException {
        return BlockingCalls.awaitValue(requestAsync(name, message, timeout), "request to service " + name);
    }

    /**
     * Connects to the pipe of that name at any holder, and waits until a holder has responded. If the holder is lost later, the
     * pipe searches for another one.
     *
     * @throws ParleyException as {@link #connectAsync(String, Duration)} fails
     * @throws InterruptedException if the thread is interrupted
     */
    public OutputPipe connect(String name, Duration timeout) throws InterruptedException {
        return BlockingCalls.await(connectAsync(name, timeout), "connect to pipe " + name);
    }

    /**
     * Connects to a pipe at any holder, and waits until a holder has responded.
     *
     * @throws ParleyException as {@link #connectAsync(PipeId, Duration)} fails
     * @throws InterruptedException if the thread is interrupted
     */
    public OutputPipe connect(PipeId id, Duration timeout) throws InterruptedException {
        return BlockingCalls.await(connectAsync(id, timeout), "connect to pipe " + id);
    }

    /**
     * Connects to the pipe of that name held by a peer at a given address, and waits until the holder has responded.
     *
     * @throws ParleyException as {@link #connectAsync(PeerId, PipeId, Duration)} fails
     * @throws InterruptedException if the thread is interrupted
     */
    public OutputPipe connect(PeerAddress holder, String name, Duration timeout) throws InterruptedException {
        return BlockingCalls.await(connectAsync(holder, name, timeout), "connect to pipe " + name);
    }

    /**
     * Connects to a pipe by its ticket, and waits until the holder has responded.
     *
     * @throws ParleyException as {@link #connectAsync(PeerId, PipeId, Duration)} fails
     * @throws InterruptedException if the thread is interrupted
     */
    public OutputPipe connect(PipeTicket ticket, Duration timeout) throws InterruptedException {
        return BlockingCalls.await(connectAsync(ticket, timeout), "connect to pipe " + ticket.pipe());
    }

    /**
     * Connects to a pipe held by a peer whose address is known, and waits until the holder has responded.
     *
     * @throws ParleyException as {@link #connectAsync(PeerId, PipeId, Duration)} fails
     * @throws InterruptedException if the thread is interrupted
     */
    public OutputPipe connect(PeerId holder, PipeId id, Duration timeout) throws InterruptedException {
        return BlockingCalls.await(connectAsync(holder, id, timeout), "connect to pipe " + id);
    }

    /**
     * Connects to the published pipe of that name at any holder: the first that responds, of all peers that have published the
     * pipe in the group. If no holder is found, the search is repeated until the timeout, because one may start.
     *
     * @param timeout above zero
     * @return a future that fails with {@link ErrorCode#UNREACHABLE} if no holder with one of the codecs of {@link #withCodecs} has
     *     responded within the timeout; the message states the peers that were queried and the failures. It fails with
     *     {@link ErrorCode#SECURITY_MISMATCH} instead if these pipes are {@linkplain #secure secure} and no holder that was found is,
     *     and with {@link ErrorCode#CLOSED} if the peer is closed. Cancelling it ends the search
     * @throws io.parley.error.InvalidCallException {@link ErrorCode#NO_COMMON_CODEC} if this peer lacks one of the codecs
     */
    public CompletableFuture<OutputPipe> connectAsync(String name, Duration timeout) {
        return connector.connect(pipeId(name), name, timeout);
    }

    /** Connects to a published pipe at any holder. See {@link #connectAsync(String, Duration)}. */
    public CompletableFuture<OutputPipe> connectAsync(PipeId id, Duration timeout) {
        return connector.connect(id, null, timeout);
    }

    /** Connects to the pipe of that name held by a peer at a given address. See {@link #connectAsync(PeerId, PipeId, Duration)}. */
    public CompletableFuture<OutputPipe> connectAsync(PeerAddress holder, String name, Duration timeout) {
        return connectAsync(new PipeTicket(pipeId(name), holder), timeout);
    }

    /** Connects to a pipe by its ticket. See {@link #connectAsync(PeerId, PipeId, Duration)}. */
    public CompletableFuture<OutputPipe> connectAsync(PipeTicket ticket, Duration timeout) {
        endpoint().addPeerAddress(ticket.holder());
        return connectAsync(ticket.holder().peer(), ticket.pipe(), timeout);
    }

    /**
     * Connects to a pipe held by a peer whose address is known.
     *
     * @param timeout above zero
     * @return a future that fails with {@link ErrorCode#NO_SUCH_SERVICE} if the peer does not hold the pipe,
     *     {@link ErrorCode#UNREACHABLE} if the peer is unreachable, {@link ErrorCode#TIMEOUT} if it does not respond within the
     *     timeout, {@link ErrorCode#NO_COMMON_CODEC} if it lacks the codecs of {@link #withCodecs},
     *     {@link ErrorCode#SECURITY_MISMATCH} if these pipes are secure and the pipe is not, or the other way around
     * @throws io.parley.error.InvalidCallException {@link ErrorCode#NO_COMMON_CODEC} if this peer lacks one of the codecs
     */
    public CompletableFuture<OutputPipe> connectAsync(PeerId holder, PipeId id, Duration timeout) {
        return connector.connect(holder, id, timeout);
    }

    private Endpoint endpoint() {
        return group.endpoint();
    }
}
