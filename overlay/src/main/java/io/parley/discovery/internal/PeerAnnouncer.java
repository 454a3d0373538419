package io.parley.discovery.internal;

import io.parley.advertisement.PeerAdvertisement;
import io.parley.advertisement.SignedAdvertisement;
import io.parley.common.Scheduler;
import io.parley.discovery.internal.DiscoveryMetrics.Counter;
import io.parley.id.PeerId;
import io.parley.message.Message;
import io.parley.resolver.internal.PropagateOptions;
import io.parley.resolver.internal.PropagatedQuery;
import io.parley.resolver.internal.PropagationScope;
import io.parley.resolver.internal.Query;
import io.parley.resolver.internal.QueryResponse;
import io.parley.resolver.internal.Resolver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says nearby that this peer is there, and hears who else is. Who hears of a peer that it did not know, or of one that is
 * new, answers with its own advertisement, so that both know each other. Thread-safe.
 */
final class PeerAnnouncer {

    /** The handler's name. */
    static final String NAME = "announce";

    private static final Logger log = LoggerFactory.getLogger(PeerAnnouncer.class);

    /** Documents in one announcement; more are not looked at. */
    private static final int MAX_DOCUMENTS = 16;

    /** How long after an announcement answers are taken. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    /** Answers to one announcement come spread over that time, as all peers have heard it together. */
    private static final Duration ANSWER_SPREAD = Duration.ofMillis(400);

    /** Answers that wait for their time: each may cost a connection to wherever a stranger says to be. */
    private static final int MAX_WAITING_ANSWERS = 32;

    /** The first announcement may get lost, so the second comes soon. */
    private static final Duration SECOND = Duration.ofSeconds(1);

    private static final Duration FIRST_PAUSE = Duration.ofMillis(250);
    private static final Duration WITHDRAWAL_DELAY = Duration.ofMillis(50);
    private static final int MAX_WITHDRAWN = 8 * MAX_DOCUMENTS;

    private final Resolver resolver;
    private final AdvertisementReceiver intake;
    private final DiscoveryContext context;
    private final Set<Runnable> waitingAnswers = ConcurrentHashMap.newKeySet(); // what gives them up
    private final Set<PropagatedQuery> openAnswers = ConcurrentHashMap.newKeySet();
    private final List<SignedAdvertisement> withdrawn = new ArrayList<>();
    private @Nullable LocalPublication announced;
    private Scheduler.Timer timer = () -> {};
    private Scheduler.Timer withdrawingTimer = () -> {};
    private Duration pause = FIRST_PAUSE;
    private boolean greeted;
    private int sent;

    PeerAnnouncer(Resolver resolver, AdvertisementReceiver intake, DiscoveryContext context) {
        this.resolver = resolver;
        this.intake = intake;
        this.context = context;
    }

    /** Announces this peer from now on, and at once. */
    void announce(LocalPublication peer) {
        synchronized (this) {
            announced = peer;
            sent = 0;
            pause = FIRST_PAUSE;
        }
        announce();
    }

    private void announce() {
        LocalPublication peer;
        boolean hello;
        synchronized (this) {
            peer = announced;
            if (peer == null || peer.isClosing()) {
                return;
            }
            hello = !greeted;
            greeted = true;
            Duration next = sent++ == 0 ? SECOND : context.limits().announceInterval();
            schedule(context.jittered(next));
        }
        Message message = DiscoveryMessages.announcement(
                List.of(peer.signedAdvertisement().toByteArray()), hello);
        PropagatedQuery answers = resolver.propagate(
                NAME,
                message,
                new PropagateOptions(
                        PATIENCE, context.limits().maxMulticastResponses(), PropagationScope.LOCAL_NETWORK),
                this::onAnswer);
        openAnswers.add(answers);
        context.metrics().increment(Counter.ANNOUNCEMENTS_SENT);
        answers.whenDone().whenComplete((count, failure) -> {
            openAnswers.remove(answers);
            if (failure != null) {
                onFailure(peer, hello, failure);
            }
        });
    }

    /** Nobody has heard it, perhaps because there is no way to propagate yet. */
    private synchronized void onFailure(LocalPublication peer, boolean hello, Throwable failure) {
        if (announced != peer) {
            return;
        }
        log.debug("This peer could not be announced: {}", failure.toString());
        greeted &= !hello;
        sent = 0;
        schedule(context.jittered(pause));
        Duration longer = pause.multipliedBy(2);
        pause = longer.compareTo(context.limits().announceInterval()) < 0
                ? longer
                : context.limits().announceInterval();
    }

    /** With the lock held. */
    private void schedule(Duration delay) {
        timer.cancel();
        timer = context.scheduler().schedule(delay, () -> execute(this::announce));
    }

    private void execute(Runnable task) {
        try {
            context.executor().execute(task);
        } catch (RejectedExecutionException e) {
            log.debug("Nothing is announced any more in group {}", context.group());
        }
    }

    /** Says so nearby, together with others that are withdrawn about now. */
    synchronized void withdraw(SignedAdvertisement tombstone) {
        if (tombstone.advertisement() instanceof PeerAdvertisement) {
            announced = null;
            timer.cancel();
        }
        if (withdrawn.size() < MAX_WITHDRAWN) {
            withdrawn.add(tombstone);
        }
        if (withdrawn.size() == 1) {
            withdrawingTimer = context.scheduler().schedule(WITHDRAWAL_DELAY, () -> execute(this::sayWithdrawn));
        }
    }

    /** Says what is withdrawn; who hears it late, or not, has to wait until it expires. */
    void sayWithdrawn() {
        List<byte[]> documents;
        synchronized (this) {
            withdrawingTimer.cancel();
            documents = withdrawn.stream().map(SignedAdvertisement::toByteArray).toList();
            withdrawn.clear();
        }
        for (int from = 0; from < documents.size(); from += MAX_DOCUMENTS) {
            List<byte[]> batch = documents.subList(from, Math.min(documents.size(), from + MAX_DOCUMENTS));
            resolver.propagate(
                            NAME,
                            DiscoveryMessages.announcement(batch, false),
                            new PropagateOptions(PATIENCE, 1, PropagationScope.LOCAL_NETWORK),
                            answer -> {})
                    .closeAsync(); // as nobody has anything to answer
        }
    }

    /** On the executor, one at a time. */
    private void onAnswer(QueryResponse answer) {
        take(answer.from(), answer.body());
    }

    /** Takes what a peer says of itself; true when that peer was not known. */
    private boolean take(PeerId sender, Message message) {
        List<byte[]> documents = DiscoveryMessages.readDocuments(message);
        boolean isNew = false;
        for (byte[] document : documents.subList(0, Math.min(documents.size(), MAX_DOCUMENTS))) {
            AdvertisementReceiver.Accepted taken = intake.take(document, signed -> isOwnWord(sender, signed));
            isNew |= taken != null
                    && taken.isNew()
                    && taken.newest().advertisement() instanceof PeerAdvertisement
                    && !StoreEntryMapper.isWithdrawn(taken.newest());
        }
        int extra = documents.size() - MAX_DOCUMENTS;
        if (extra > 0) {
            context.metrics().add(Counter.ADVERTISEMENTS_UNSOLICITED, extra);
        }
        return isNew;
    }

    private static boolean isOwnWord(PeerId sender, SignedAdvertisement signed) {
        return signed.publisher().equals(sender)
                && (signed.advertisement() instanceof PeerAdvertisement || StoreEntryMapper.isWithdrawn(signed));
    }

    /** Hears another peer. On the resolver's executor. */
    CompletionStage<Optional<Message>> onQuery(Query query) {
        if (!query.propagated()) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        context.metrics().increment(Counter.ANNOUNCEMENTS_RECEIVED);
        boolean isNew = take(query.from(), query.body());
        boolean answers = (isNew || DiscoveryMessages.isHello(query.body())) && own() != null;
        return answers ? answerLater() : CompletableFuture.completedFuture(Optional.empty());
    }

    private CompletableFuture<Optional<Message>> answerLater() {
        CompletableFuture<Optional<Message>> answer = new CompletableFuture<>();
        Runnable giveUp = () -> answer.complete(Optional.empty());
        synchronized (waitingAnswers) { // others may be adding theirs
            if (waitingAnswers.size() >= MAX_WAITING_ANSWERS) {
                giveUp.run();
                return answer;
            }
            waitingAnswers.add(giveUp);
        }
        Duration delay = Duration.ofNanos(
                (long) (ANSWER_SPREAD.toNanos() * context.scheduler().random().nextDouble()));
        Scheduler.Timer timer = context.scheduler().schedule(delay, () -> execute(() -> answer.complete(answer())));
        answer.whenComplete((message, failure) -> {
            timer.cancel();
            waitingAnswers.remove(giveUp);
        });
        return answer;
    }

    private Optional<Message> answer() {
        LocalPublication own = own();
        return own == null
                ? Optional.empty()
                : Optional.of(DiscoveryMessages.announcement(
                        List.of(own.signedAdvertisement().toByteArray()), false));
    }

    private synchronized @Nullable LocalPublication own() {
        return announced;
    }

    void close() {
        synchronized (this) {
            announced = null;
            timer.cancel();
            withdrawingTimer.cancel();
        }
        List.copyOf(waitingAnswers).forEach(Runnable::run);
        openAnswers.forEach(PropagatedQuery::closeAsync);
    }
}
