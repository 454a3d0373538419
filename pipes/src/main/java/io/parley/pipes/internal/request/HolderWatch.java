package io.parley.pipes.internal.request;

import io.parley.common.internal.Timers;
import io.parley.group.PeerGroup;
import io.parley.id.PeerId;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Watches the connections to the holders of a service, and reports a holder whose connection does not return. Thread-safe. */
public final class HolderWatch {

    private final PeerGroup group;
    private final HolderTable holders;
    private final Consumer<HolderChannel> onLost;

    /** @param onLost called on the work executor with a holder that is not connected for {@link RequestClient#LOSS_DELAY} */
    public HolderWatch(PeerGroup group, HolderTable holders, Consumer<HolderChannel> onLost) {
        this.group = group;
        this.holders = holders;
        this.onLost = onLost;
    }

    public void onConnected(PeerId peer) {
        HolderChannel holder = holders.find(peer);
        if (holder != null) {
            holder.setConnected(true);
        }
    }

    /** Returns the holder if it has pending requests; otherwise {@code null}. */
    @Nullable
    public HolderChannel onDisconnected(PeerId peer) {
        HolderChannel holder = holders.find(peer);
        if (holder == null) {
            return null;
        }
        holder.setLossNanos(group.scheduler().nanoTime());
        holder.setConnected(false);
        if (holder.pending() == 0) {
            return null;
        }
        checkLater(holder);
        return holder;
    }

    /** Reports the holder if it is not connected after a while. */
    public void checkLater(HolderChannel holder) {
        if (holder.tryStartCheck()) {
            holder.setLossNanos(group.scheduler().nanoTime());
            schedule(holder, RequestClient.LOSS_DELAY);
        }
    }

    private void schedule(HolderChannel holder, Duration delay) {
        Timers.schedule(group.scheduler(), delay, group.workExecutor(), () -> check(holder));
    }

    private void check(HolderChannel holder) {
        holder.endCheck();
        if (holder.isConnected()) {
            return;
        }
        Duration age = Duration.ofNanos(group.scheduler().nanoTime() - holder.lossNanos());
        if (age.compareTo(RequestClient.LOSS_DELAY) >= 0) {
            onLost.accept(holder);
        } else if (holder.tryStartCheck()) { // it was connected meanwhile
            schedule(holder, RequestClient.LOSS_DELAY.minus(age));
        }
    }
}
