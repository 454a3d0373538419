package io.parley.endpoint.internal.link;

import io.netty.buffer.ByteBuf;
import io.parley.endpoint.internal.frame.FrameVisitor;
import io.parley.endpoint.internal.frame.Hello;
import io.parley.endpoint.internal.inbound.LinkDecoder;
import io.parley.endpoint.internal.memory.MemoryBudget;
import io.parley.endpoint.internal.messenger.PeerMessenger;
import io.parley.endpoint.internal.tunnel.TlsTunnel;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.transport.Connection;
import org.jspecify.annotations.Nullable;

/**
 * The secure channels of a link whose connection does not authenticate the remote peer: a TLS tunnel and the channels inside. Confined
 * to the event loop of the link, except for {@link #execute}, {@link #hasInboundChannels} and {@link #hasOutboundChannels}.
 */
final class TunneledChannels implements TlsTunnel.Owner {

    private final LinkChannels.Owner link;
    private final LinkContext context;
    private final TlsTunnel tunnel;
    private final LinkChannels channels;

    /** @param local the HELLO that this peer has sent on the link */
    TunneledChannels(
            LinkChannels.Owner link, LinkContext context, Connection connection, Hello local, LinkDecoder decoder) {
        this.link = link;
        this.context = context;
        this.tunnel = new TlsTunnel(this, connection, local, context.endpoint());
        this.channels = LinkChannels.inTunnel(link, context, tunnel, decoder);
    }

    @Override
    public PeerId peer() {
        return context.peer();
    }

    @Override
    public Hello remote() {
        return context.remote();
    }

    @Override
    public MemoryBudget memory() {
        return context.memory();
    }

    @Override
    public boolean tryReserve(long bytes) {
        return context.tryReserve(bytes);
    }

    @Override
    public void execute(Runnable task, Runnable otherwise) {
        link.execute(task, otherwise);
    }

    @Override
    public void onTunnelOpened() {
        channels.sender().start();
    }

    @Override
    public FrameVisitor tunnelFrames() {
        return channels;
    }

    @Override
    public void respondInTunnel(ByteBuf frame) {
        channels.respond(frame);
    }

    @Override
    public void endTunnel(ParleyException cause) {
        context.closer().endTunnel(cause);
    }

    @Override
    public void abort(Throwable cause) {
        context.abort(cause);
    }

    /** Handles a secure messenger, see {@link LinkSender#wake}. Opens the tunnel if a channel needs it. */
    void wake(PeerMessenger messenger) {
        channels.sender().wake(messenger);
        if (channels.sender().hasChannels()) {
            tunnel.open();
        }
    }

    /** Called with the records of a SEALED frame, which are borrowed for this call. */
    void onRecords(ByteBuf records) {
        tunnel.onRecords(records);
    }

    boolean hasInboundChannels() {
        return channels.receiver().hasChannels();
    }

    boolean hasOutboundChannels() {
        return channels.sender().hasChannels();
    }

    /** Returns the number of channels that the remote peer has opened, or that wait for memory. */
    int inboundChannels() {
        return channels.receiver().channelCount();
    }

    /** Asks for the memory of idle channels. */
    void shrinkIdle() {
        channels.receiver().shrinkIdle();
    }

    /** Called at each keep-alive interval. */
    void onKeepAlive() {
        context.guard(channels.receiver()::onKeepAlive);
        tunnel.checkAlive();
    }

    /** Sends the acknowledgements that are due after a task that continues with received frames. */
    void onTaskComplete() {
        channels.acks().onReadComplete();
    }

    /** Called after the frames of one read. */
    void onReadComplete() {
        channels.acks().onReadComplete();
        tunnel.onReadComplete();
    }

    void onWritable() {
        channels.acks().onWritable();
        channels.sender().writeReady();
    }

    /** Writes the acknowledgements that are due, and seals all frames that were written. */
    void writeAcks() {
        channels.acks().writeAll();
        tunnel.flushNow();
    }

    /** Starts no further message, see {@link LinkSender#retire}. */
    void retire() {
        channels.sender().retire();
    }

    boolean isRetired() {
        return channels.sender().isRetired();
    }

    /** Closes the channels of the remote peer and the tunnel. Called when the link is closed. */
    void closeReceiver() {
        channels.acks().close();
        channels.receiver().close();
        tunnel.close();
    }

    /** Releases the channels of this peer, see {@link LinkSender#close}. Called after the memory of the link is released. */
    void closeSender(@Nullable Throwable cause, @Nullable ParleyException refusal) {
        channels.sender().close(cause, refusal);
    }

    /** Describes the link. */
    @Override
    public String toString() {
        return context.toString();
    }
}
