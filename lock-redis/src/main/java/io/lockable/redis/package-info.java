package io.lockable.redis;
