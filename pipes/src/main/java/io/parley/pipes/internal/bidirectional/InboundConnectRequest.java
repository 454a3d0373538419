package io.parley.pipes.internal.bidirectional;

import io.parley.common.Scheduler;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.message.Message;
import io.parley.pipes.BidirectionalPipe;
import io.parley.pipes.BidirectionalPipeListener;
import io.parley.pipes.PipeConnectRequest;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** A request that an acceptor has received. Thread-safe. */
final class InboundConnectRequest implements PipeConnectRequest {

    /** Carries out the decision. */
    interface Decider {

        /** Called at most once, and not if {@link #refuse} is called. */
        BidirectionalPipe accept(InboundConnectRequest request, @Nullable BidirectionalPipeListener listener);

        /** Called at most once, and not if {@code accept} is called. */
        void refuse(InboundConnectRequest request, ParleyException reason);
    }

    private final PeerId remotePeer;
    private final String host;
    private final String end;
    private final Message hello;
    private final Decider decider;
    private final AtomicBoolean decided = new AtomicBoolean();
    private volatile Scheduler.@Nullable Timer timer;

    /**
     * Creates a request.
     *
     * @param host the prefix of the address of the remote peer
     * @param end  the end of the remote peer
     */
    InboundConnectRequest(PeerId remotePeer, String host, String end, Message hello, Decider decider) {
        this.remotePeer = remotePeer;
        this.host = host;
        this.end = end;
        this.hello = hello;
        this.decider = decider;
    }

    /** Sets the timer that refuses the request, which is cancelled by a decision. */
    void setTimer(Scheduler.Timer value) {
        timer = value;
        if (decided.get()) {
            value.cancel();
        }
    }

    String host() {
        return host;
    }

    String end() {
        return end;
    }

    @Override
    public PeerId remotePeer() {
        return remotePeer;
    }

    @Override
    public Message hello() {
        return hello;
    }

    @Override
    public BidirectionalPipe accept() {
        return decideToAccept(null);
    }

    @Override
    public BidirectionalPipe accept(BidirectionalPipeListener listener) {
        return decideToAccept(listener);
    }

    private BidirectionalPipe decideToAccept(@Nullable BidirectionalPipeListener listener) {
        if (!tryDecide()) {
            throw ErrorCode.CLOSED.exception(
                    "connect request of peer " + remotePeer.shortText() + ": accepted, refused or expired before");
        }
        return decider.accept(this, listener);
    }

    @Override
    public void refuse(ParleyException reason) {
        if (tryDecide()) {
            decider.refuse(this, reason);
        }
    }

    private boolean tryDecide() {
        boolean first = decided.compareAndSet(false, true);
        Scheduler.Timer present = timer;
        if (first && present != null) {
            present.cancel();
        }
        return first;
    }
}
