package io.parley.bench.parley;

import io.parley.advertisement.Advertisement;
import io.parley.advertisement.AdvertisementCodec;
import io.parley.advertisement.AdvertisementLimits;
import io.parley.advertisement.PeerAdvertisement;
import io.parley.advertisement.PipeAdvertisement;
import io.parley.advertisement.PipeType;
import io.parley.advertisement.RouteAdvertisement;
import io.parley.advertisement.SignedAdvertisement;
import io.parley.advertisement.internal.AdvertisementSigner;
import io.parley.common.Scheduler;
import io.parley.discovery.internal.StoreEntryMapper;
import io.parley.id.GroupId;
import io.parley.id.PeerId;
import io.parley.id.PipeId;
import io.parley.identity.Identity;
import io.parley.store.StoreLimits;
import io.parley.store.internal.AdvertisementStore;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Advertisements in any number, and homes of peers that have heard of them. */
final class ParleyHomeGenerator {

    /** Of one publisher, whose clock they put forward by as many milliseconds. */
    private static final int OF_ONE = 500;

    private static final int BATCH = 10_000;

    private ParleyHomeGenerator() {}

    /** The name of the n-th pipe. */
    static String pipe(int number) {
        return "pipe " + number;
    }

    /** Signed advertisements of that many pipes of many publishers, with one of each publisher, a batch at a time. */
    static void advertisements(int count, Consumer<List<SignedAdvertisement>> batches) {
        for (int start = 0; start < count; start += BATCH) {
            int first = start;
            int last = Math.min(count, start + BATCH);
            batches.accept(IntStream.range(0, (last - first + OF_ONE - 1) / OF_ONE)
                    .parallel()
                    .mapToObj(publisher -> {
                        int from = first + publisher * OF_ONE;
                        return signed(Identity.generate(), from, Math.min(last, from + OF_ONE));
                    })
                    .flatMap(List::stream)
                    .toList());
        }
    }

    /** Signed advertisements of some of the pipes, of one publisher, and of that one. */
    static List<SignedAdvertisement> signed(Identity publisher, int from, int to) {
        AdvertisementSigner signer = new AdvertisementSigner(
                publisher, AdvertisementCodec.installed(AdvertisementLimits.DEFAULTS), Clock.systemUTC());
        PeerId peer = publisher.peerId();
        Stream<Advertisement> pipes = IntStream.range(from, to)
                .mapToObj(number ->
                        PipeAdvertisement.of(PipeId.ofName(GroupId.NET, pipe(number)), PipeType.UNICAST, pipe(number)));
        Advertisement self = PeerAdvertisement.of(peer, GroupId.NET, "publisher " + from)
                .withRoute(RouteAdvertisement.of(peer, List.of("tcp://192.0.2.1:9701")));
        return Stream.concat(Stream.of(self), pipes)
                .map(advertisement -> signer.sign(advertisement, GroupId.NET))
                .toList();
    }

    /** Makes a home with an identity and a store that holds that many advertisements of others. */
    static void fill(Path home, int count) {
        Identity.loadOrCreate(home);
        ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor();
        try (AdvertisementStore store = AdvertisementStore.open(
                home.resolve("advertisements.mv"), StoreLimits.DEFAULTS, Scheduler.system(), executor)) {
            advertisements(count, batch -> batch.forEach(signed -> store.put(StoreEntryMapper.entry(signed))));
            store.flush().join();
        } finally {
            executor.shutdownNow();
        }
    }
}
