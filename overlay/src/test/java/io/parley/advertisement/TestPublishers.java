package io.parley.advertisement;

import io.parley.identity.Identity;
import java.security.SecureRandom;
import java.util.Arrays;

/** Identities that are the same in every run, so that tests can compare signed bytes. */
final class TestPublishers {
    static final Identity ALICE = fixed(1);
    static final Identity MALLORY = fixed(2);

    private TestPublishers() {}

    private static Identity fixed(int number) {
        return Identity.generate(new SecureRandom() {
            @Override
            public void nextBytes(byte[] bytes) {
                Arrays.fill(bytes, (byte) number);
            }
        });
    }
}
