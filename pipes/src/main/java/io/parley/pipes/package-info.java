/**
 * Unicast pipes: one-way message channels, and requests with responses through them. An input pipe is found by its name in a
 * group, or by its {@link io.parley.id.PipeId}. A {@link io.parley.pipes.Topic} is a pipe to all peers of a group that have
 * subscribed, a {@link io.parley.pipes.WorkQueue} is one whose messages are tasks for one of several workers. Start with
 * {@link io.parley.pipes.Pipes}; with {@link io.parley.pipes.BidirectionalPipes} for pipes in both
 * directions. All kinds of pipes can be {@linkplain io.parley.pipes.Pipes#secure secure}. All types are thread-safe.
 *
 * <p>Every operation that takes the network's time has two forms. The blocking form takes a timeout as its last argument,
 * throws {@link java.lang.InterruptedException} if the thread is interrupted, and must not be called on an event loop. The
 * asynchronous form never blocks:
 *
 * <table>
 *   <caption>Blocking and asynchronous forms</caption>
 *   <tr><th>blocking</th><th>asynchronous</th></tr>
 *   <tr><td>{@code Pipes.connect(..., timeout)}</td><td>{@code Pipes.connectAsync(..., timeout)}</td></tr>
 *   <tr><td>{@code OutputPipe.send(message, timeout)}</td><td>{@code OutputPipe.send(message)}</td></tr>
 *   <tr><td>{@code Pipes.request(..., timeout)}, {@code OutputPipe.request}</td><td>{@code requestAsync(..., timeout)}</td></tr>
 *   <tr><td>{@code Pipes.serve(..., handler)}</td><td>{@code Pipes.listen(..., listener)}, {@code PipeMessage.respond}</td></tr>
 *   <tr><td>{@code TaskSender.send(task, timeout)}</td><td>{@code TaskSender.send(task)}</td></tr>
 *   <tr><td>{@code TopicPublisher.send(message, timeout)}</td><td>{@code TopicPublisher.send(message)}</td></tr>
 *   <tr><td>{@code TopicSubscription.receive(timeout)}</td><td>{@code Topic.subscribe(..., listener)}</td></tr>
 *   <tr><td>{@code InputPipe.receive(timeout)}</td><td>{@code InputPipe.receiveAsync()}, {@code publisher()}, {@code Pipes.listen(..., listener)}</td></tr>
 *   <tr><td>{@code close()}, bounded by the close timeout of the limits</td><td>{@code closeAsync()}</td></tr>
 * </table>
 *
 * <p>A listener gets one message at a time, in the order in which each sender sent them. With a direct executor, and with
 * {@link io.parley.pipes.Pipes#listenZeroCopy}, it runs on the event loops, and messages of different senders may be delivered
 * concurrently.
 */
@NullMarked
package io.parley.pipes;

import org.jspecify.annotations.NullMarked;
