package io.parley.discovery.internal;

import io.parley.advertisement.SignedAdvertisement;
import io.parley.advertisement.internal.AdvertisementVerifier;
import io.parley.common.AsyncCloseable;
import io.parley.common.internal.RateLimitedLogger;
import io.parley.common.internal.Registration;
import io.parley.discovery.internal.DiscoveryMetrics.Counter;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.store.internal.AdvertisementStore;
import io.parley.store.internal.PutOutcome;
import io.parley.store.internal.StoreEntry;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes documents of others: verifies and stores them, learns the ways that they show, and tells listeners. What is wrong
 * with a document harms nothing but that document. Thread-safe; reads and writes the store.
 */
final class AdvertisementReceiver {

    private static final Logger log = LoggerFactory.getLogger(AdvertisementReceiver.class);

    /**
     * A document that was taken.
     *
     * @param newest the newest version that is known of it
     * @param isNew  whether none was known before
     */
    record Accepted(SignedAdvertisement newest, boolean isNew) {}

    private final RateLimitedLogger complaints = new RateLimitedLogger(log);
    private final RateLimitedLogger replays = new RateLimitedLogger(log);
    private final DiscoveryContext context;
    private final PeerId self;
    private final AdvertisementVerifier verifier;
    private final AdvertisementStore store;
    private final PeerAddressLearner routes;
    private final List<ListenerDispatcher> listeners = new CopyOnWriteArrayList<>();

    AdvertisementReceiver(
            DiscoveryContext context,
            PeerId self,
            AdvertisementVerifier verifier,
            AdvertisementStore store,
            PeerAddressLearner routes) {
        this.context = context;
        this.self = self;
        this.verifier = verifier;
        this.store = store;
        this.routes = routes;
    }

    /** Tells the listener from now on what is new or newer. */
    AsyncCloseable listen(Consumer<SignedAdvertisement> listener) {
        ListenerDispatcher delivery = new ListenerDispatcher(
                listener,
                context.callbackExecutor(),
                context.metrics(),
                context.limits().maxQueuedAdvertisements());
        listeners.add(delivery);
        return new Registration(() -> {
            listeners.remove(delivery);
            delivery.discard();
        });
    }

    void close() {
        listeners.forEach(ListenerDispatcher::discard);
        listeners.clear();
    }

    /**
     * Takes a document that somebody has sent. Borrows the array for this call.
     *
     * @param wanted whether it was asked for
     * @return {@code null} when it is not taken; nobody learns of it then
     */
    @Nullable
    Accepted take(byte[] document, Predicate<SignedAdvertisement> wanted) {
        SignedAdvertisement signed = verified(document);
        if (signed == null || signed.publisher().equals(self)) { // this peer knows best what it publishes
            return null;
        }
        if (!wanted.test(signed)) {
            count(Counter.ADVERTISEMENTS_UNSOLICITED);
            return null;
        }
        PutOutcome outcome = put(signed);
        if (outcome == null) {
            return null;
        }
        if (outcome == PutOutcome.STALE || outcome == PutOutcome.EXPIRED) {
            outdated(outcome == PutOutcome.STALE ? "there is a newer version" : "it has expired");
            SignedAdvertisement newer = stored(signed);
            return newer == null ? null : new Accepted(newer, false);
        }
        boolean withdrawn = StoreEntryMapper.isWithdrawn(signed);
        if (!withdrawn) {
            routes.learn(signed); // before anybody hears of it who may want to go there
        }
        boolean news = outcome != PutOutcome.UNCHANGED;
        count(news ? Counter.ADVERTISEMENTS_ACCEPTED : Counter.ADVERTISEMENTS_DUPLICATE);
        if (news && !withdrawn) {
            tell(signed);
        }
        return new Accepted(signed, outcome == PutOutcome.ADDED);
    }

    private @Nullable SignedAdvertisement verified(byte[] document) {
        try {
            SignedAdvertisement signed = verifier.verify(document);
            if (!signed.group().equals(context.group())) {
                refuse("it is of group " + signed.group());
                return null;
            }
            return signed;
        } catch (ParleyException e) {
            if (e.code() == ErrorCode.EXPIRED) {
                outdated(e.getMessage());
            } else {
                refuse(e.getMessage());
            }
            return null;
        } catch (RuntimeException e) { // a type of a user's own
            refuse(e.toString());
            return null;
        }
    }

    private @Nullable PutOutcome put(SignedAdvertisement signed) {
        try {
            return store.put(StoreEntryMapper.entry(signed));
        } catch (ParleyException e) {
            if (e.code() != ErrorCode.LOCAL_LIMIT) {
                log.debug("The store does not take what was found: {}", e.getMessage());
                return PutOutcome.FULL;
            }
            refuse(e.getMessage());
            return null;
        } catch (RuntimeException e) { // an attribute that no store has room for
            refuse(e.toString());
            return null;
        }
    }

    private @Nullable SignedAdvertisement stored(SignedAdvertisement older) {
        try {
            return store.get(StoreEntryMapper.key(older.key()))
                    .map(StoreEntry::document)
                    .map(verifier::readTrusted)
                    .orElse(null);
        } catch (ParleyException e) {
            log.debug("The store does not give what it has: {}", e.getMessage());
            return null;
        }
    }

    private void tell(SignedAdvertisement news) {
        for (ListenerDispatcher listener : listeners) {
            listener.add(news);
            listener.run();
        }
    }

    private void refuse(@Nullable String why) {
        count(Counter.ADVERTISEMENTS_REJECTED);
        complaints.warn("A document that was sent in group {} is refused: {}", context.group(), why);
    }

    /** It is played back, or who has sent it has not heard of the newer one: not a warning, as that happens to anybody. */
    private void outdated(@Nullable String why) {
        count(Counter.ADVERTISEMENTS_OUTDATED);
        replays.info("A document that was sent in group {} is outdated: {}", context.group(), why);
    }

    private void count(Counter counter) {
        context.metrics().increment(counter);
    }
}
