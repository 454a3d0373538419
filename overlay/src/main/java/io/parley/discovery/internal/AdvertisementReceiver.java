package io.parley.discovery.internal;

import io.parley.advertisement.SignedAdvertisement;
import io.parley.advertisement.internal.AdvertisementSigner;
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
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Verifies and stores received advertisements, adds the addresses that they contain, and notifies listeners. A fault in one document
 * does not affect the others. Thread-safe. Reads and writes the store.
 */
final class AdvertisementReceiver {

    private static final Logger log = LoggerFactory.getLogger(AdvertisementReceiver.class);

    /** The maximum time for which a received document is stored: as long as other peers store those of this peer by default. */
    private static final Duration MAX_RETENTION = AdvertisementSigner.DEFAULT_EXPIRATION;

    /**
     * The result of an accepted document.
     *
     * @param newest the newest known version of the advertisement
     * @param isNew  whether no version was known before
     */
    record Accepted(SignedAdvertisement newest, boolean isNew) {}

    private final RateLimitedLogger rejectionLog = new RateLimitedLogger(log);
    private final RateLimitedLogger outdatedLog = new RateLimitedLogger(log);
    private final DiscoveryContext context;
    private final PeerId self;
    private final AdvertisementVerifier verifier;
    private final AdvertisementStore store;
    private final PeerAddressLearner addresses;
    private final List<ListenerDispatcher> listeners = new CopyOnWriteArrayList<>();

    AdvertisementReceiver(
            DiscoveryContext context,
            PeerId self,
            AdvertisementVerifier verifier,
            AdvertisementStore store,
            PeerAddressLearner addresses) {
        this.context = context;
        this.self = self;
        this.verifier = verifier;
        this.store = store;
        this.addresses = addresses;
    }

    /** Adds a listener for new and newer advertisements. */
    AsyncCloseable addListener(Consumer<SignedAdvertisement> listener) {
        ListenerDispatcher dispatcher = new ListenerDispatcher(
                listener,
                context.callbackExecutor(),
                context.metrics(),
                context.limits().maxQueuedAdvertisements());
        listeners.add(dispatcher);
        return new Registration(() -> {
            listeners.remove(dispatcher);
            dispatcher.discard();
        });
    }

    void close() {
        listeners.forEach(ListenerDispatcher::discard);
        listeners.clear();
    }

    /**
     * Processes a received document. The array is borrowed for this call.
     *
     * @param wanted returns whether the advertisement was requested
     * @return the result; {@code null} if the document is not accepted, in which case listeners are not notified
     */
    @Nullable
    Accepted accept(byte[] document, Predicate<SignedAdvertisement> wanted) {
        SignedAdvertisement signed = verified(document);
        if (signed == null || signed.publisher().equals(self)) { // own advertisements are known better locally
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
            ignoreOutdated(outcome == PutOutcome.STALE ? "a newer version is known" : "expired");
            SignedAdvertisement newer = stored(signed);
            return newer == null ? null : new Accepted(newer, false);
        }
        boolean withdrawn = StoreEntryMapper.isWithdrawn(signed);
        if (!withdrawn) {
            addresses.add(signed); // before listeners are notified, which may connect
        }
        boolean isNewer = outcome != PutOutcome.UNCHANGED;
        count(isNewer ? Counter.ADVERTISEMENTS_ACCEPTED : Counter.ADVERTISEMENTS_DUPLICATE);
        if (isNewer && !withdrawn) {
            notifyListeners(signed);
        }
        return new Accepted(signed, outcome == PutOutcome.ADDED);
    }

    private @Nullable SignedAdvertisement verified(byte[] document) {
        try {
            SignedAdvertisement signed = verifier.verify(document);
            if (!signed.group().equals(context.group())) {
                reject("belongs to group " + signed.group());
                return null;
            }
            return signed;
        } catch (ParleyException e) {
            if (e.code() == ErrorCode.EXPIRED) {
                ignoreOutdated(e.getMessage());
            } else {
                reject(e.getMessage());
            }
            return null;
        } catch (RuntimeException e) { // thrown by a user-defined type
            reject(e.toString());
            return null;
        }
    }

    private @Nullable PutOutcome put(SignedAdvertisement signed) {
        try {
            StoreEntry entry = StoreEntryMapper.entry(signed);
            long now = context.scheduler().clock().millis();
            if (entry.expiresMillis() <= now && StoreEntryMapper.isWithdrawn(signed)) {
                return removeWithdrawn(entry);
            }
            long maxExpiresMillis = now + MAX_RETENTION.toMillis();
            if (entry.expiresMillis() <= maxExpiresMillis) {
                return store.put(entry);
            }
            boolean isKnown = store.get(entry.key())
                    .filter(known -> known.issuedMillis() == entry.issuedMillis()
                            && Arrays.equals(known.document(), entry.document()))
                    .isPresent();
            return isKnown ? PutOutcome.UNCHANGED : store.put(entry.withExpiresMillis(maxExpiresMillis));
        } catch (ParleyException e) {
            if (e.code() != ErrorCode.LOCAL_LIMIT) {
                log.debug("Cannot store a received advertisement: {}", e.getMessage());
                return PutOutcome.FULL;
            }
            reject(e.getMessage());
            return null;
        } catch (RuntimeException e) { // an attribute that cannot be stored
            reject(e.toString());
            return null;
        }
    }

    /** Removes what a tombstone replaces that has expired by the clock of this peer, so that it cannot be stored. */
    private PutOutcome removeWithdrawn(StoreEntry tombstone) {
        StoreEntry known = store.get(tombstone.key()).orElse(null);
        if (known == null) {
            return PutOutcome.UNCHANGED;
        }
        if (known.issuedMillis() > tombstone.issuedMillis()) {
            return PutOutcome.STALE;
        }
        store.remove(tombstone.key());
        return PutOutcome.REPLACED;
    }

    private @Nullable SignedAdvertisement stored(SignedAdvertisement older) {
        try {
            return store.get(StoreEntryMapper.key(older.key()))
                    .map(StoreEntry::document)
                    .map(verifier::readTrusted)
                    .orElse(null);
        } catch (ParleyException e) {
            log.debug("Cannot read a stored advertisement: {}", e.getMessage());
            return null;
        }
    }

    private void notifyListeners(SignedAdvertisement signed) {
        for (ListenerDispatcher listener : listeners) {
            listener.add(signed);
            listener.run();
        }
    }

    private void reject(@Nullable String why) {
        count(Counter.ADVERTISEMENTS_REJECTED);
        rejectionLog.warn("Rejected advertisement received in group {}: {}", context.group(), why);
    }

    /** Not a warning, because the cause may be a sender that has not received the newer version, as well as a replay. */
    private void ignoreOutdated(@Nullable String why) {
        count(Counter.ADVERTISEMENTS_OUTDATED);
        outdatedLog.info("Ignored outdated advertisement received in group {}: {}", context.group(), why);
    }

    private void count(Counter counter) {
        context.metrics().increment(counter);
    }
}
