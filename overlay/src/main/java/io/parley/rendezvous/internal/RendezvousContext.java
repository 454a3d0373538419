package io.parley.rendezvous.internal;

import io.parley.advertisement.internal.AdvertisementSigner;
import io.parley.advertisement.internal.AdvertisementVerifier;
import io.parley.common.Scheduler;
import io.parley.common.internal.Throwables;
import io.parley.endpoint.Endpoint;
import io.parley.endpoint.ServiceAddress;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.GroupId;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.message.Message;
import io.parley.rendezvous.RendezvousLimits;
import io.parley.rendezvous.internal.RendezvousMetrics.Counter;
import io.parley.resolver.internal.Resolver;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/** What all parts of one peer's rendezvous service stand on. */
record RendezvousContext(
        Endpoint endpoint,
        Identity identity,
        AdvertisementSigner signer,
        AdvertisementVerifier verifier,
        Resolver resolver,
        Executor executor,
        Scheduler scheduler,
        RendezvousLimits limits,
        RendezvousMetrics metrics) {

    /** The group of the rendezvous and their clients as such. It is in no list of groups, and nothing is published in it. */
    static final GroupId GROUP = GroupId.ofName("parley rendezvous");

    /** Where messages to a group are taken. */
    static final ServiceAddress SERVICE = ServiceAddress.of("rendezvous");

    static final String LEASE = "lease";
    static final String VIEW = "view";
    static final String PUBLISH = "publish";
    static final String REPLICATE = "replicate";
    static final String FIND = "find";

    PeerId self() {
        return identity.peerId();
    }

    CompletableFuture<Message> ask(PeerId peer, String name, Message question, Duration timeout) {
        return resolver.query(peer, name, question, timeout);
    }

    /** Fails with {@link ErrorCode#TIMEOUT} when the other is not complete in that time. */
    <T> CompletableFuture<T> within(Duration timeout, CompletableFuture<T> future) {
        CompletableFuture<T> limited = future.copy();
        Scheduler.Timer timer = scheduler.schedule(
                timeout,
                () -> limited.completeExceptionally(ErrorCode.TIMEOUT.exception("no response within " + timeout)));
        limited.whenComplete((value, failure) -> timer.cancel());
        return limited;
    }

    /** Runs the task soon; not at all when the executor is shut down, as then all is over. */
    void execute(Runnable task) {
        try {
            executor.execute(() -> run(task));
        } catch (RejectedExecutionException e) {
            // nobody is left to do it for
        }
    }

    private static void run(Runnable task) {
        try {
            task.run();
        } catch (ParleyException e) {
            if (e.code() != ErrorCode.CLOSED) { // what it works with, meanwhile
                throw e;
            }
        }
    }

    /** Why a question of a peer is refused that has not the part in the overlay which it would take. */
    ParleyException stranger(String why) {
        metrics.increment(Counter.REQUESTS_UNAUTHORIZED);
        return ErrorCode.NO_SUCH_SERVICE.exception(why);
    }

    static boolean isBusy(Throwable failure) {
        return Throwables.unwrap(failure) instanceof ParleyException known && known.code() == ErrorCode.BUSY;
    }
}
